"""Words or listed rows in another order: what asks whether two are the same, or counts different ones, reads none of
it; what puts rows in order does.

A few random pairs are tried every time; PROTOC_LONG=1 tries 400 of each rule, PROTOC_LONG=N so many.
"""

from __future__ import annotations

import os
from random import Random
from typing import Any

import pytest

from drift.claims import claims, resolved, wrong
from drift.tiny import Rows
from protoc_compiler import core
from protoc_compiler.drift.review import changes_of

LONG = os.environ.get("PROTOC_LONG", "")
PAIRS = 4 if not LONG else 400 if LONG == "1" else int(LONG)
TABLES = 30
SPEC = """protoc: 1
protocol: {id: tiny, version: 1, title: A made-up study}
data:
  tables:
    cases:
      key: case
      order: [grade, case]
      columns: {case: text, grade: [GRADES], size: int, kind: kinds}
    kinds:
      key: kind
      columns: {hue: [HUES]}
      rows:
KINDS
    wide:
      key: [case, arm]
      order: [case, arm]
      unpivot: {arm: {LABELS}, columns: {found: <arm>_found}}
      columns: {case: text, arm: [ARMS], found: bool}
definitions:
  cases.hue: kind.hue
  grades: cases grouped by grade
  cases.before: count(earlier cases)
  wide.arm_before: count(earlier wide matching case) > 0
metrics:
  size_of.<kinds>: mean(size over cases)
  found_of: rate(found over wide where arm == a)
gates:
  must: {says: It is as it is., must: "RULE"}
verdict:
  - PASS when all gates have held
  - FAIL otherwise
report: {released: [PASS]}
"""
BLIND = (
    "distinct(hue over kinds) >= 2", "distinct(grade over cases) >= 2", "count(cases where grade == low) >= 1",
    "all cases where grade in [low, mid] have size > 0", "no cases where kind == mail have size > 1",
    "distinct(kind over cases where hue == red) >= 1", "count(kinds where hue != red) <= size_of.mail",
    "min(size over cases) >= 1", "some grades have count(cases matching grade) > 1",
    "first(cases ordered by size then case).size > 0", "max(size_of over kinds) >= 2", "found_of >= 0.5",
    "count(wide where arm != a) >= 1", "rate(found over wide) >= 0.5",
)  # fmt: skip
RANKING = (
    "first(cases ordered by grade then case).size > 1", "last(cases ordered by hue then case).size > 1",
    "first(cases).size > 1", "first(grades).grade == low", "some cases where grade == low have before > 1",
    "longest_run(size > 1 over cases) >= 2", "first(kinds).hue == red", "last(kinds).kind == mail",
    "first(wide).found", "count(wide where found and arm_before) >= 1",
)  # fmt: skip
GRADES, HUES, KINDS, ARMS = ("low", "mid", "high"), ("red", "blue"), ("mail", "chat", "desk"), ("a", "b", "c")
COLOURS = {"mail": "red", "chat": "blue", "desk": "red"}


def protocol(rule: str, *orders: tuple[str, ...]) -> core.Protocol:
    grades, hues, kinds, arms = orders
    text = SPEC.replace("GRADES", ", ".join(grades)).replace("HUES", ", ".join(hues)).replace("RULE", rule)
    text = text.replace("KINDS", "\n".join(f"        {kind}: {{hue: {COLOURS[kind]}}}" for kind in kinds))
    labels = ", ".join(f"{arm}: {arm}{arm}" for arm in arms)
    made = resolved(text.replace("ARMS", ", ".join(arms)).replace("LABELS", labels))
    assert made is not None, rule
    return made


PLAIN = (GRADES, HUES, KINDS, ARMS)
TURNED = tuple(tuple(reversed(one)) for one in PLAIN)


@pytest.mark.parametrize("prove", [False, True])
@pytest.mark.parametrize("rule", BLIND)
def test_another_order_is_nothing_to_what_does_not_read_it(rule: str, prove: bool) -> None:
    changes, context = changes_of(protocol(rule, *PLAIN), protocol(rule, *TURNED), prove=prove)
    assert {one.direction for one in context.effects} <= {"equivalent"}
    assert {one.direction for one in changes} == {"equivalent"}
    assert (context.verdict.direction, context.verdict.status) == ("equivalent", "proved")


@pytest.mark.parametrize("rule", RANKING)
def test_another_order_is_open_where_rows_are_put_into_it(rule: str) -> None:
    told = changes_of(protocol(rule, *PLAIN), protocol(rule, *TURNED), prove=False)[1].effects
    assert [one.direction for one in told] == ["undecided"]


@pytest.mark.parametrize("prove", [False, True])
@pytest.mark.parametrize(
    ("rule", "direction"),
    [
        ("found_of >= 0.5", "equivalent"),
        ("rate(found over wide) >= 0.5", "equivalent"),
        ("first(wide).found", "undecided"),
    ],
)
def test_the_labels_of_a_wide_file_give_its_rows_an_order(rule: str, direction: str, prove: bool) -> None:
    """`order: file` is that of the lines, and within one that of the labels."""
    old, new = (_by_file(rule, labels) for labels in ("a: aa, b: bb, c: cc", "c: cc, b: bb, a: aa"))
    changes, context = changes_of(old, new, prove=prove)
    assert [one.direction for one in context.effects] == [direction]
    assert [(one.id, one.direction) for one in changes] == [("TABLE_UNPIVOT_CHANGED", direction)]
    assert context.verdict.direction == direction


def _by_file(rule: str, labels: str) -> core.Protocol:
    text = SPEC.replace("order: [case, arm]", "order: file").replace("LABELS", labels).replace("RULE", rule)
    for name, words in zip(("GRADES", "HUES"), PLAIN, strict=False):
        text = text.replace(name, ", ".join(words))
    text = text.replace("KINDS", "\n".join(f"        {kind}: {{hue: {COLOURS[kind]}}}" for kind in KINDS))
    made = resolved(text.replace("ARMS", ", ".join(ARMS)))
    assert made is not None
    return made


@pytest.mark.timeout(0 if LONG else 600)
@pytest.mark.parametrize("rule", [*BLIND, *RANKING])
def test_no_rows_contradict_what_is_said_of_another_order(rule: str) -> None:
    for seed in range(PAIRS):
        chance = Random(seed)
        orders = [tuple(chance.sample(one, len(one))) for one in PLAIN]
        same, said = claims(protocol(rule, *PLAIN), other := protocol(rule, *orders), prove=False)
        for _ in range(TABLES):
            assert not wrong(same, other, said, rows(chance)), f"seed {seed}"


def rows(chance: Random) -> Rows:
    """A few cases, and what was found in each."""

    def one(at: int) -> dict[str, Any]:
        """One case."""
        return {"case": f"c{at}", "grade": chance.choice(GRADES), "size": chance.randint(0, 3),
                "kind": chance.choice(KINDS)}  # fmt: skip

    cases = [one(at) for at in range(chance.randint(0, 4))]
    wide = [{"case": case["case"], **{f"{arm}{arm}_found": chance.random() < 0.5 for arm in ARMS}} for case in cases]
    return {"cases": cases, "wide": wide}
