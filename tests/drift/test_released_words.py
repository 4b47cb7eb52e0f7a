"""Where several words are released, it matters under which of them: also where only one side has several."""

from __future__ import annotations

import pytest

from protoc_compiler.drift import show
from protoc_compiler.drift.failing import failing
from protoc_compiler.drift.model import Report
from protoc_compiler.drift.reading import Source, read
from protoc_compiler.drift.review import review

SPEC = """\
protoc: 1
protocol: {id: two-words, version: 1, title: Two words}
data:
  tables:
    cases: {key: case, columns: {case: text, right: bool, SLOW}, expect: [count(cases) == 8]}
metrics:
  accuracy: rate(right over cases)
  slow: count(cases where TAKES)
gates:
  accurate: {says: At least 75% of the answers are right., must: accuracy >= 75%}
verdict:
LINES
  - FAIL otherwise
report:
  released: [WORDS]
"""
FAST = "FAST when gates.accurate and slow <= 2"
PASS = "PASS when all gates have held"
ASIDE = "some results are released under another word"


def _spec(words: str, *lines: str, data: tuple[str, str] = ("slow: bool", "slow")) -> Source:
    column, takes = data
    text = SPEC.replace("LINES", "\n".join(f"  - {line}" for line in lines)).replace("WORDS", words)
    text = text.replace("SLOW", column).replace("TAKES", takes)
    return read("protocol.yaml", "protocol.yaml", text.encode())


BOTH = _spec("FAST, PASS", FAST, PASS)
ONLY_FAST = _spec("FAST", FAST.replace(" and slow <= 2", ""))
ONLY_PASS = _spec("PASS", PASS)
MORE_FAST = _spec("FAST, PASS", FAST.replace("2", "5"), PASS)


def _ends(report: Report) -> set[tuple[str, str]]:
    first = report.verdict.witness
    assert first is not None
    found = [first, *([first["contrary"]] if "contrary" in first else [])]
    assert all(one["replayed"] for one in found)
    return {(one["old"], one["new"]) for one in found}


@pytest.mark.parametrize(
    ("old", "new", "ends"),
    [
        (BOTH, ONLY_FAST, {("PASS", "FAST")}),
        (ONLY_FAST, BOTH, {("FAST", "PASS")}),
        (BOTH, ONLY_PASS, {("FAST", "PASS")}),
        (ONLY_PASS, BOTH, {("PASS", "FAST")}),
        (BOTH, MORE_FAST, {("PASS", "FAST")}),
    ],
    ids=["one word dropped", "one word more", "the other dropped", "the other more", "moved between the two"],
)
def test_what_is_released_under_another_word_is_shown_once_and_fails(
    old: Source, new: Source, ends: set[tuple[str, str]]
) -> None:
    report = review(old, new)
    assert (report.verdict.direction, report.verdict.status) == ("incomparable", "witness")
    assert _ends(report) == ends
    assert len(report.verdict.cases) == 1
    assert failing(report, (), "looser").fails
    for form in ("text", "markdown"):
        assert ASIDE in show.render([(report, ())], form, color=False, width=100, level=None)


def test_a_word_that_is_only_no_longer_released_is_stricter() -> None:
    report = review(BOTH, _spec("FAST", FAST, PASS))
    assert (report.verdict.direction, report.verdict.status) == ("stricter", "witness")
    assert _ends(report) == {("PASS", "PASS")}
    assert not failing(report, (), "looser").fails


def test_a_word_that_is_only_released_now_is_looser() -> None:
    report = review(_spec("FAST", FAST, PASS), BOTH)
    assert (report.verdict.direction, report.verdict.status) == ("looser", "witness")
    assert ASIDE not in show.render([(report, ())], "text", color=False, width=100, level=None)


def test_one_word_instead_of_another_is_the_same_release() -> None:
    report = review(ONLY_PASS, _spec("DONE", PASS.replace("PASS", "DONE")))
    assert report.verdict.direction == "equivalent"


def test_rows_that_are_tried_show_it_too() -> None:
    data = ("wall: decimal, weight: decimal", "wall * weight > 1")
    report = review(_spec("FAST, PASS", FAST, PASS, data=data), _spec("FAST", FAST.replace("2", "4"), data=data))
    assert report.verdict.direction == "incomparable"
    assert ("PASS", "FAST") in _ends(report)
