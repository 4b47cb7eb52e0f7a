"""Retries are compared by the failures that are sent again, as the gateway decides it, not by their words."""

from __future__ import annotations

import itertools

import pytest

from drift.test_unread_data import _protocol
from protoc_compiler.drift.retrying import _failures, _sent_again
from protoc_compiler.drift.review import changes_of
from protoc_runtime.procedure import Retry
from protoc_runtime.providers.answers import BY_STATUS
from protoc_runtime.providers.policy import decide

LISTS = ((), ("4xx",), ("403",), ("authentication",), ("5xx", "timeout"), ("400", "semantic"))


@pytest.mark.parametrize(("only", "never"), list(itertools.product(LISTS, LISTS)))
def test_what_is_sent_again_is_what_the_gateway_sends_again(only: tuple[str, ...], never: tuple[str, ...]) -> None:
    retry = Retry(only, 1, (), never)
    sent = {
        causes for causes in _failures()
        if decide(retry, 1, *(
            (int(causes[0]), causes[1] if len(causes) > 1 else "status") if causes[0].isdigit() else (None, causes[0])
        )).retry
    }  # fmt: skip
    assert sent == _sent_again(retry)
    assert {(str(status), kind) for status, kind in BY_STATUS.items()} <= set(_failures())


def _told(before: str, after: str) -> dict[str, str]:
    sides = (f"procedure: {{providers: {{asked: {{{side}}}}}}}\n" for side in (before, after))
    changes, _ = changes_of(*map(_protocol, sides))
    return {change.id: change.direction for change in changes}


CASES = (
    ("only_on: [429], never_on: [503]", "only_on: [429], never_on: [semantic]", "equivalent"),
    ("only_on: [429], never_on: [503, semantic]", "only_on: [429], never_on: [semantic]", "equivalent"),
    ("only_on: [4xx], never_on: [authentication]", "only_on: [4xx], never_on: [semantic]", "looser"),
    ("only_on: [4xx], never_on: [authentication]", "only_on: [4xx], never_on: [5xx]", "looser"),
    ("only_on: [429], never_on: [BROKEN]", "only_on: [429, 403], never_on: [BROKEN]", "equivalent"),
    ("only_on: [429], never_on: [BROKEN]", "only_on: [429, 404], never_on: [BROKEN]", "looser"),
)


@pytest.mark.parametrize(("before", "after", "way"), CASES)
def test_a_cause_is_looser_only_where_a_failure_is_sent_again_that_was_not(before: str, after: str, way: str) -> None:
    rest = "at_most: 1, waits: [1 s]"
    opposite = {"looser": "stricter", "stricter": "looser"}
    one, other = (
        f"retry: {{{side}, {rest}}}".replace("BROKEN", "authentication, timeout, connection, truncated")
        for side in (before, after)
    )
    told = [
        {way for kind, way in side.items() if kind.startswith("RETRY_") and kind != "RETRY_WAITS_CHANGED"}
        for side in (_told(one, other), _told(other, one))
    ]
    assert told == [{way}, {opposite.get(way, way)}]
