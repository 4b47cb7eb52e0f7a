"""The retry policy, with tenacity as the oracle of its sequences."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from fractions import Fraction

import pytest
import tenacity
from hypothesis import given, settings
from hypothesis import strategies as st

from protoc_runtime.procedure import CAUSES, Retry
from protoc_runtime.providers.policy import LONGEST_HONOURED, causes, decide, retry_after

NOW = datetime(2026, 8, 10, 12, 0, tzinfo=UTC)
STATUSES = st.sampled_from([400, 401, 403, 404, 418, 422, 429, 500, 502, 503, 599])
FAILURES = st.one_of(
    STATUSES.map(lambda status: (status, {401: "authentication", 403: "authentication", 400: "validation",
                                          422: "validation"}.get(status, "status"))),
    st.sampled_from(["timeout", "connection", "truncated"]).map(lambda error: (None, error)),
    st.sampled_from(["dimension", "semantic"]).map(lambda error: (200, error)),
    st.sampled_from(["redirect", "too_large", "content_type"]).map(lambda error: (200, error)),
)  # fmt: skip
NAMES = st.sampled_from([*CAUSES, "429", "500", "503", "404", "4xx", "5xx"])
WAITS = st.lists(st.fractions(0, 5), min_size=4, max_size=4).map(tuple)
POLICIES = st.builds(
    Retry, st.lists(NAMES, max_size=5, unique=True).map(tuple), st.integers(0, 4), WAITS,
    st.lists(NAMES, max_size=3, unique=True).map(tuple), st.sampled_from(["recorded", "honoured"]),
)  # fmt: skip
OUTCOMES = st.lists(st.tuples(st.one_of(st.just((200, None)), FAILURES), st.one_of(st.none(), st.fractions(0, 700))),
                    min_size=6, max_size=6)  # fmt: skip


def ours(retry: Retry, outcomes: list) -> tuple[int, list[Fraction]]:
    """The number of attempts and the waits between them."""
    waits, n = [], 0
    while True:
        (status, error), asked = outcomes[n]
        n += 1
        decision = decide(retry, n, status, error, asked)
        assert decision.reason
        if not decision.retry:
            return n, waits
        waits.append(decision.wait)


def theirs(retry: Retry, outcomes: list) -> tuple[int, list[float]]:
    """The same by tenacity, configured alike."""
    waits: list[float] = []
    made = iter(outcomes)

    def permitted(outcome) -> bool:
        (status, error), asked = outcome
        if error is None:
            return False
        names = {error} | ({str(status), f"{status // 100}xx"} if status is not None else set())
        if names & set(retry.never_on):
            return False
        too_long = retry.retry_after == "honoured" and asked is not None and asked > LONGEST_HONOURED
        return bool(names & set(retry.only_on)) and not too_long

    def wait(state) -> Fraction:
        declared = retry.waits[state.attempt_number - 1]
        asked = state.outcome.result()[1]
        return max(declared, asked) if retry.retry_after == "honoured" and asked is not None else declared

    runner = tenacity.Retrying(
        retry=tenacity.retry_if_result(permitted), stop=tenacity.stop_after_attempt(retry.at_most + 1), wait=wait,
        sleep=waits.append, retry_error_callback=lambda state: state.outcome.result(),
    )  # fmt: skip
    runner(lambda: next(made))
    return runner.statistics["attempt_number"], waits


@settings(max_examples=120, deadline=None)
@given(POLICIES, OUTCOMES)
def test_equals_tenacity(retry, outcomes):
    attempts, waits = ours(retry, outcomes)
    assert (attempts, [float(wait) for wait in waits]) == theirs(retry, outcomes)  # tenacity counts in floats


SEED = Retry(("429", "5xx"), 2, (Fraction(1), Fraction(2)), ("semantic", "authentication", "validation", "dimension"))


@pytest.mark.parametrize(
    ("status", "error", "waits"),
    [
        (429, "status", [1, 2]),
        (500, "status", [1, 2]),
        (599, "status", [1, 2]),
        (401, "authentication", []),
        (403, "authentication", []),
        (422, "validation", []),
        (404, "status", []),
        (200, "dimension", []),
        (200, "semantic", []),
        (None, "timeout", []),
        (None, "connection", []),
        (302, "redirect", []),
    ],
)
def test_the_policy_of_a_protocol(status, error, waits):
    attempts, found = ours(SEED, [((status, error), None)] * 6)
    assert found == waits
    assert attempts == len(waits) + 1


@pytest.mark.parametrize(
    ("n", "status", "error", "reason"),
    [
        (1, 429, "status", "retry 1 of 2 after 429"),
        (3, 429, "status", "all 2 retries are used"),
        (1, 403, "authentication", "authentication is never retried"),
        (1, None, "timeout", "timeout is no declared cause"),
        (1, 200, None, "the answer is acceptable"),
    ],
)
def test_tells_why(n, status, error, reason):
    assert decide(SEED, n, status, error).reason == reason


def test_no_policy_means_no_retry():
    assert decide(None, 1, 503, "status") == decide(None, 9, 503, "status")
    assert not decide(None, 1, 503, "status").retry


def test_a_recorded_retry_after_changes_nothing():
    assert decide(SEED, 1, 429, "status", Fraction(100)).wait == 1


def test_an_honoured_one_is_a_lower_bound_and_has_a_limit():
    honoured = Retry(SEED.only_on, 2, SEED.waits, (), "honoured")
    assert decide(honoured, 1, 429, "status", Fraction(100)).wait == 100
    assert decide(honoured, 2, 429, "status", Fraction(1)).wait == 2
    assert not decide(honoured, 1, 429, "status", LONGEST_HONOURED + 1).retry


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("3", 3),
        (" 120 ", 120),
        (format_datetime(NOW + timedelta(seconds=90), usegmt=True), 90),
        (format_datetime(NOW - timedelta(days=1), usegmt=True), 0),
        ("9" * 400, 10**20 - 1),
        ("-3", None),
        ("1.5", None),
        ("²", None),
        ("soon", None),
        ("", None),
        (None, None),
        ("Mon, 99 Foo 20261 99:99:99 GMT", None),
    ],
)
def test_reads_retry_after(text, seconds):
    assert retry_after(text, NOW) == seconds


@given(st.text())
def test_reads_any_retry_after(text):
    found = retry_after(text, NOW)
    assert found is None or found >= 0


def test_causes_name_the_class_first():
    assert causes(403, "authentication") == ("authentication", "403")
    assert causes(None, None) == ()
