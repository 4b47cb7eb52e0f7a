"""Expectations that came, went or moved: whether a release is gained or lost is proved, or shown by a case."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from drift.claims import claims, resolved, wrong
from drift.test_narrowed_filters import SPEC as MAIL
from drift.tiny import Rows
from protoc_compiler.drift.letting import refusing
from protoc_compiler.drift.model import Effect
from protoc_compiler.drift.reading import read
from protoc_compiler.drift.review import review

SPEC = """\
protoc: 1
protocol: {id: let, version: 1, title: What is let through}
data:
  tables:
    cases: {key: case, columns: {case: text, weight: int, kind: [a, b]}, expect: [EXPECTED]}
    answers: {from: subject, key: case, columns: {case: cases, right: bool}}
procedure:
  subject: {python: "s.py:f", of: cases, sees: [kind]}
definitions:
  cases.right: {is: only(answers).right, if_undefined: false}
gates:
  rule: {says: It holds., must: "RULE"}
verdict: [PASS when all gates have held, FAIL otherwise]
report: {released: [PASS]}
"""
COUNTED, EVERY = "count(cases where right) >= 2", "no cases have not right"
LET = {  # old and new expectation, the rule, what the verdict does, whether it is proved that it does no more
    "no row less": ("count(cases) >= 2", "count(cases) >= 0", "count(cases) >= 2", "equivalent"),
    "rows that pass": ("count(cases) >= 2", "count(cases) >= 1", EVERY, "looser"),
    "rows that pass no more": ("count(cases) >= 1", "count(cases) >= 2", EVERY, "stricter"),
    "others": ("count(cases) == 2", "count(cases) == 3", EVERY, "incomparable"),
    "what no count tells": ("mean(weight over cases) >= 2", "mean(weight over cases) >= 1", EVERY, "looser"),
    "as before": ("all cases have weight^2 <= 4", "all cases have abs(weight) <= 2", EVERY, "equivalent"),
}


def _text(expected: str, rule: str) -> str:
    return SPEC.replace("EXPECTED", expected).replace("RULE", rule)


def _verdict(old: str, new: str) -> Effect:
    return review(*(read("p.yaml", "p.yaml", text.encode()) for text in (old, new))).verdict


def _rows(chance: Random) -> Rows:
    cases: list[dict[str, Any]] = [
        {"case": f"c{at}", "weight": chance.choice((-3, 0, 1, 2)), "kind": "a"} for at in range(chance.randint(0, 4))
    ]
    answers = [{"case": row["case"], "right": chance.random() < 0.8} for row in cases]
    return {"cases": cases, "answers": answers}


@pytest.mark.parametrize("name", LET)
def test_what_is_let_through_gains_or_loses_releases_as_rows_show(name: str) -> None:
    *expected, rule, direction = LET[name]
    texts = [_text(one, rule) for one in expected]
    found = _verdict(texts[0], texts[1])
    assert found.status in ("proved", "witness")
    assert found.direction == direction
    assert all("data refused" in case for case in found.cases)
    old, new = (resolved(text) for text in texts)
    assert old is not None
    assert new is not None
    same, made = claims(old, new)
    chance = Random(1)
    tried = [_rows(chance) for _ in range(150)]
    assert not [said for rows in tried for said in wrong(same, new, made, rows)]
    contrary = {("verdict", "verdict"): (True, True)}
    assert any(wrong(same, new, contrary, rows) for rows in tried) is (direction != "equivalent")


EXPECTED = "[count(cases where split == heldout) == 8, all cases have weight >= 1]"


@pytest.mark.parametrize(
    ("without", "shown"),
    [
        ("[count(cases where split == heldout) == 8]", "cases 8 of heldout, answers 8 of heldout"),
        ("[all cases have weight >= 1]", "cases 1 of heldout, answers 1 of heldout"),
    ],
)
def test_rows_that_are_not_scored_leave_room_for_a_case(without: str, shown: str) -> None:
    found = _verdict(MAIL, MAIL.replace(EXPECTED, without))
    assert (found.direction, found.status) == ("looser", "witness")
    (case,) = found.cases
    assert case.startswith(f"case: {shown}")
    assert case.endswith("data refused before, PASS now")


def test_that_a_table_has_one_row_is_taken_for_granted() -> None:
    found = _verdict(_text("count(cases) == 2", COUNTED), _text("count(cases) == 1", COUNTED))
    assert (found.direction, found.status, found.cases) == ("undecided", "undecided", ())


def test_an_expectation_of_rows_that_are_not_scored_shows_nothing() -> None:
    """With rows of the other split it would hold where it does not of the scored rows alone."""
    more = MAIL.replace(EXPECTED, EXPECTED.replace("]", ", count(cases) == 20]"))
    old, new = resolved(more), resolved(MAIL)
    assert old is not None
    assert new is not None
    assert refusing(old, new, frozenset()) is None
    found = _verdict(more, MAIL)
    assert (found.direction, found.status, found.cases) == ("looser", "undecided", ())
