"""The attempts of a run in its ledger: begun before the request is sent, ended after, refused where none is sent.

`attempt_begun` is durable before `begin` returns. `attempt_ended` is not waited for: it stands before the end of its
case in the same chain, so it is durable when that is. A begin without an end is an attempt too (`rows`).
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from protoc_runtime.ledger import Ledger
from protoc_runtime.providers.policy import Decision
from protoc_runtime.record import record

BEGUN, ENDED, REFUSED, USABLE = "attempt_begun", "attempt_ended", "call_refused", "credential"
SHOWN_HEADERS = frozenset(
    {
        "content-type", "content-length", "content-encoding", "date", "retry-after", "x-request-id", "openai-model",
        "openai-processing-ms", "openai-version", "x-ratelimit-limit-requests", "x-ratelimit-limit-tokens",
        "x-ratelimit-remaining-requests", "x-ratelimit-remaining-tokens", "x-ratelimit-reset-requests",
        "x-ratelimit-reset-tokens",
    }
)  # fmt: skip
LONGEST_HEADER = 200


@record
class Attempt:
    """One attempt: `n` counts those of a case at a provider, `call` the calls that they belong to; both from 1."""

    provider: str
    case: str
    call: int
    n: int

    def body(self) -> dict[str, Any]:
        """The fields that every event of an attempt has."""
        return {"provider": self.provider, "case": self.case, "call": self.call, "n": self.n}


@record
class Ending:
    """What came of an attempt; None where nothing came. `headers` are already those that may be shown."""

    error: str | None
    reason: str
    status: int | None = None
    retry_after: str | None = None
    dimension: int | None = None
    answer_sha256: str | None = None
    answer_bytes: int | None = None
    headers: Mapping[str, str] | None = None
    model: str | None = None
    cost: Mapping[str, int] | None = None


class AttemptLog:
    """Writes the attempts of a run; a resumed run goes on with the numbers of what its ledger holds already."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._attempts: Counter[tuple[str, str]] = Counter()
        self._calls: Counter[tuple[str, str]] = Counter()
        for event in ledger.events():
            if event.kind in (BEGUN, REFUSED):
                body = event.body
                place = (body["provider"], body["case"] or "")
                self._attempts[place] = max(self._attempts[place], body["n"])
                self._calls[place] = max(self._calls[place], body["call"])

    def next_call(self, provider: str, case: str) -> int:
        """The number of a new call."""
        self._calls[provider, case] += 1
        return self._calls[provider, case]

    def next_attempt(self, provider: str, case: str, call: int) -> Attempt:
        """A new attempt of a call, not yet recorded."""
        self._attempts[provider, case] += 1
        return Attempt(provider, case, call, self._attempts[provider, case])

    async def begin(self, attempt: Attempt, path: str, size: int, digest: str, model: str | None) -> None:
        """Record that a request of `size` bytes will be sent; durable when this returns."""
        about = {"url_path": path, "request_sha256": digest, "request_bytes": size, "model": _told(model)}
        await self._ledger.append_async(BEGUN, {**attempt.body(), **about, "mono": microseconds()})

    def end(self, attempt: Attempt, ending: Ending, decision: Decision) -> None:
        """Record what came of an attempt, and what follows by the policy."""
        body = {
            **attempt.body(),
            "status": ending.status,
            "error": ending.error,
            "acceptable": ending.error is None,
            "reason": _told(ending.reason),
            "retried": decision.retry,
            "retry_cause": decision.cause or None,
            "retry_reason": decision.reason,
            "wait": str(decision.wait),
            "retry_after": ending.retry_after,
            "dimension": ending.dimension,
            "answer_sha256": ending.answer_sha256,
            "answer_bytes": ending.answer_bytes,
            "headers": dict(ending.headers or {}),
            "model": _told(ending.model),
            "mono": microseconds(),
        }
        cost = {_told(name): count for name, count in (ending.cost or {}).items()}
        self._ledger.post(ENDED, {**body, "cost": cost} if cost else body)

    def refuse(self, provider: str, case: str | None, reason: str, model: str | None) -> None:
        """Record a request that was not sent; `case` is None where its address belongs to none."""
        attempt = self.next_attempt(provider, case or "", self.next_call(provider, case or ""))
        body = {**attempt.body(), "case": case, "reason": reason, "model": _told(model), "mono": microseconds()}
        self._ledger.post(REFUSED, body)

    def usable(self, provider: str, usable: bool, reason: str) -> None:
        """Record whether a provider can be called at all; durable."""
        self._ledger.append(USABLE, {"provider": provider, "usable": usable, "reason": reason})


def microseconds() -> int:
    """A clock that never goes back, in whole microseconds."""
    return time.monotonic_ns() // 1000


def shown_headers(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The headers that a ledger may show: metadata, never cookies or credentials; the first one of a name."""
    made: dict[str, str] = {}
    for name, value in headers:
        if name.lower() in SHOWN_HEADERS:
            made.setdefault(name.lower(), value[:LONGEST_HEADER].encode("ascii", "replace").decode())
    return made


def _told(text: str | None) -> str | None:
    """A text from outside as a ledger can hold it: half a surrogate pair is no text."""
    return text if text is None else text.encode("utf-8", "replace").decode("utf-8")
