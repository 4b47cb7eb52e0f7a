"""What the gateway does not send: each refusal with its status, its code and what it tells the subject.

The body has the shape of OpenAI's errors, so that its clients raise what their users know; `x-should-retry: false`
keeps them from retrying, which is for the declared policy.
"""

from __future__ import annotations

import json

from protoc_runtime.record import record

NO_RETRY = ("x-should-retry", "false")
STATUS = {
    "forbidden": 403,
    "model": 403,
    "repeated": 403,
    "ended": 403,
    "address": 404,
    "path": 404,
    "method": 405,
    "too_large": 413,
    "malformed": 400,
    "cut_off": 400,
    "no_json": 400,
    "unusable": 503,
}


@record
class Reply:
    """A whole answer to the subject."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes


@record
class Refusal:
    """A request that is not sent: its code (one of `STATUS`) and words without any secret."""

    code: str
    words: str


def refused(refusal: Refusal, allow: str = "") -> Reply:
    """The answer to a request that was refused."""
    more = (("allow", allow),) if allow and refusal.code == "method" else ()
    return error(STATUS[refusal.code], "protocol_refusal", refusal.code, refusal.words, more)


def failed(error_class: str, words: str) -> Reply:
    """The answer to a call that failed without an answer that could be passed on."""
    return error(504 if error_class == "timeout" else 502, "provider_failure", error_class, words)


def error(status: int, kind: str, code: str, words: str, more: tuple[tuple[str, str], ...] = ()) -> Reply:
    """An error in the shape that OpenAI's clients read."""
    body = json.dumps({"error": {"message": words, "type": kind, "param": None, "code": code}}).encode()
    return Reply(status, (("content-type", "application/json"), NO_RETRY, *more), body)
