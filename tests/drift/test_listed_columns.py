"""Columns of rows that stand in the spec: no data come into them, so another type, another word or an empty cell is
what the rules make of it, and lets nothing through."""

from __future__ import annotations

import pytest

from drift.claims import resolved
from protoc_compiler import core
from protoc_compiler.drift.review import changes_of

SPEC = """protoc: 1
protocol: {id: tiny, version: 1, title: A made-up study}
data:
  tables:
    cases: {key: case, columns: {case: text, wait: s, right: bool, grade: [low, high], kind: kinds}}
    kinds:
      key: kind
      rows:
        mail: {most: 900 ms, share: 1, risk: low}
        chat: {most: 2000 ms, share: 0, risk: high}
    spare: {key: name, rows: {first: {size: 1}, second: {size: 2}}}
definitions:
  cases.risk: kind.risk
metrics:
  wait.<kinds>: mean(wait over cases)
  done.<kinds>: rate(right over cases)
gates:
  fast: {says: Each kind is fast., must: all kinds have wait <= most}
  done: {says: Each kind is done., must: all kinds where risk == low have done >= share}
  spare: {says: There is room., must: count(spare) >= 1}
verdict:
  - PASS when all gates have held
  - FAIL otherwise
report: {released: [PASS]}
"""


def protocol(*words: tuple[str, str]) -> core.Protocol:
    text = SPEC
    for before, after in words:
        assert before in text
        text = text.replace(before, after)
    made = resolved(text)
    assert made is not None
    return made


def told(*words: tuple[str, str]) -> list[tuple[str, str, str]]:
    """What is said of columns, by formulas alone."""
    changes, _ = changes_of(protocol(), protocol(*words), prove=False)
    return [(one.direction, one.id, one.name) for one in changes if one.id.startswith("COLUMN")]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([("900 ms", "null")], [("stricter", "COLUMN_OPTIONAL_CHANGED", "kinds.most")]),
        ([("900 ms", "0.9 s"), ("2000 ms", "2 s")], [("equivalent", "COLUMN_TYPE_CHANGED", "kinds.most")]),
        ([("900 ms", "0.8 s"), ("2000 ms", "2 s")], [("stricter", "COLUMN_TYPE_CHANGED", "kinds.most")]),
        ([("900 ms", "900 s"), ("2000 ms", "2000 s")], [("looser", "COLUMN_TYPE_CHANGED", "kinds.most")]),
        ([("share: 0", "share: 50%")], [("equivalent", "COLUMN_TYPE_CHANGED", "kinds.share")]),
        ([("risk: high}", "risk: middle}")], [
            ("equivalent", "COLUMN_MEMBER_ADDED", "cases.risk"), ("equivalent", "COLUMN_MEMBER_REMOVED", "cases.risk"),
            ("equivalent", "COLUMN_MEMBER_ADDED", "kinds.risk"), ("equivalent", "COLUMN_MEMBER_REMOVED", "kinds.risk"),
        ]),
        ([("second: {size: 2}", "second: {size: 2}, third: {size: 3}")], [
            ("equivalent", "COLUMN_MEMBER_ADDED", "spare.name"),
        ]),
    ],
)  # fmt: skip
def test_a_column_of_listed_rows_is_what_rules_make_of_it(
    words: list[tuple[str, str]], expected: list[tuple[str, str, str]]
) -> None:
    assert sorted(told(*words)) == sorted(expected)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([("wait: s,", "wait: s?,")], [("looser", "COLUMN_OPTIONAL_CHANGED", "cases.wait")]),
        ([("wait: s,", "wait: ms,")], [("incomparable", "COLUMN_TYPE_CHANGED", "cases.wait")]),
        ([("[low, high]", "[low, high, top]")], [("looser", "COLUMN_MEMBER_ADDED", "cases.grade")]),
        ([("[low, high]", "[low]")], [("stricter", "COLUMN_MEMBER_REMOVED", "cases.grade")]),
    ],
)
def test_a_column_that_data_fill_lets_more_or_less_through(
    words: list[tuple[str, str]], expected: list[tuple[str, str, str]]
) -> None:
    assert told(*words) == expected


def test_labels_that_rows_refer_to_come_with_the_data() -> None:
    more = told(("risk: high}", "risk: high}\n        desk: {most: 900 ms, share: 1, risk: low}"))
    assert more == [("looser", "COLUMN_MEMBER_ADDED", "kinds.kind")]
    less = told(("\n        chat: {most: 2000 ms, share: 0, risk: high}", ""))
    assert ("stricter", "COLUMN_MEMBER_REMOVED", "kinds.kind") in less


def test_the_same_limit_in_another_unit_is_proved_to_be_the_same() -> None:
    _, context = changes_of(protocol(), protocol(("900 ms", "0.9 s"), ("2000 ms", "2 s")))
    assert (context.verdict.direction, context.verdict.status) == ("equivalent", "proved")
