"""Rows that equal the row in scope in one column, and belong to another case, are taken knowingly."""

from __future__ import annotations

import pytest

from unit.small import examine, spec

TABLES = """\
    relevant: {key: [case, doc], columns: {case: cases, doc: text, grade: int}}
    hits: {key: [case, doc], columns: {case: cases, doc: text, grade: int, other: cases?}}
    answers:
"""


def _told(found: str) -> list[str]:
    made = spec(definitions=f"relevant.found: {found}", metrics="recall: rate(found over relevant)",
                changes=(("    answers:\n", TABLES),))  # fmt: skip
    told = examine(made).findings.told
    return [f"{item.message}; {item.hint}" for item in told if item.id == "W0340"] + [
        item.id for item in told if item.kind.severity == "error"
    ]


def test_a_hit_for_another_case_is_not_taken_in_silence() -> None:
    assert _told("some hits matching doc where grade > 1") == [
        "`hits matching doc` keeps rows whatever their `case` is; the current row of `relevant` has a `case`, too, "
        "which is not matched; write `hits matching case and doc`, or `entire hits "
        "matching doc` if all of them are meant"
    ]


@pytest.mark.parametrize(
    "found",
    [
        "some hits matching case and doc",
        "some entire hits matching doc",
        "some hits as own matching doc where own.case == case",
        "some entire relevant as other matching doc where other.grade > grade",
        "case.topic.hard and (some cases matching case)",
    ],
)
def test_what_says_which_rows_are_meant_is_in_order(found: str) -> None:
    assert _told(found) == []
