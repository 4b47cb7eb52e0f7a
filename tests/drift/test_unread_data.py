"""Formulas that stay the same and read something else: nobody may call them equivalent."""

from __future__ import annotations

from typing import Any

import pytest

from drift.overlay import BASE, merged, ordered
from drift.specs import Plain, plain, written
from protoc_compiler import core
from protoc_compiler.drift.reading import read
from protoc_compiler.drift.review import changes_of
from protoc_compiler.proof.replay import _without_draws

SAYS = "It is as it should be."
ROWS = "{algebra: {hard: true, weight: 3}, chance: {hard: false, weight: 1}}"
ONE_MORE = "{algebra: {hard: true, weight: 2}, chance: {hard: false, weight: 1}, more: {hard: true, weight: 1}}"


def _gate(formula: str) -> str:
    return f"gates: {{sure: {{says: {SAYS}, must: {formula}}}}}\n"


def _verdict(formula: str) -> str:
    return f"verdict: [INVALID when some blockers have fired, PASS when {formula}, FAIL otherwise]\n"


def _topics(rows: str) -> str:
    return f"data: {{tables: {{topics: {{rows: {rows}}}}}}}\n"


def _protocol(over: str) -> core.Protocol:
    base = plain(BASE.read_bytes(), "base.yaml")
    made: Plain = merged(base, plain(over.encode(), "overlay.yaml")) if over else base
    return read(str(BASE), "pair.yaml", written(ordered(made))).protocol


DRAWN = 'definitions: {{drawn: "sample(cases, 10, seed = \\"7\\"{})"}}\n'
ORDER = "data: {tables: {cases: {order: size}}}\n"
SHUFFLED = "data: {tables: {cases: {columns: {kind: [hard, easy, odd]}}}}\n"
SAME = (
    ("a cell of a listed row", _gate("all topics have weight <= 2"), "", _topics(ROWS)),
    ("a listed row more", _gate("count(topics) <= 2"), "", _topics(ONE_MORE)),
    ("a listed row more, of the verdict", _verdict("count(topics) <= 2"), "", _topics(ONE_MORE)),
    ("the first row", _gate("first(cases).size <= 3"), "", ORDER),
    ("the first group", _gate("first(kinds).accuracy >= 0.50"), "", SHUFFLED),
    ("a sample of groups", _gate("no drawn have size > 30"), DRAWN.format(""), DRAWN.format(", within = kind")),
    ("a sample of rows in another order", DRAWN.format("") + _gate("no drawn have size > 30"), "", ORDER),
    ("a metric of the verdict", _verdict("spread <= 3"), "", "metrics: {spread: max(score over cases)}\n"),
)


@pytest.mark.parametrize("prove", [False, True])
@pytest.mark.parametrize(("name", "both", "before", "after"), SAME, ids=[case[0] for case in SAME])
def test_the_same_formula_of_other_data_is_not_equivalent(
    name: str, both: str, before: str, after: str, prove: bool
) -> None:
    changes, context = changes_of(_protocol(both + before), _protocol(both + after), prove=prove)
    assert changes, name
    assert context.verdict.direction not in ("equivalent", "text"), name
    assert not [change for change in changes if change.direction == "equivalent"]
    told: dict[str, Any] = {effect.rule: effect.direction for effect in context.effects}
    assert told.get("gates.sure", "undecided") not in ("equivalent", "text")


def test_what_does_not_read_the_order_stays_as_it_was() -> None:
    _, context = changes_of(_protocol(""), _protocol(ORDER), prove=True)
    assert {effect.direction for effect in context.effects} == {"equivalent"}
    assert (context.verdict.direction, context.verdict.status) == ("equivalent", "proved")


def test_a_check_that_is_withheld_less_often_is_looser() -> None:
    sides = [_protocol(f"checks: {{withheld when: errors > {limit}}}\n") for limit in (5, 8)]
    (change,), _ = changes_of(*sides)
    assert (change.id, change.direction) == ("CHECK_WITHHOLDING_CHANGED", "looser")


def test_a_new_check_that_a_blocker_reads_goes_the_way_of_the_blocker() -> None:
    blocker = f"blockers: {{negative: {{says: {SAYS}, when: all checks have held, if_undefined: ~}}}}\n"
    sides = [_protocol(blocker + more) for more in ("", f"checks: {{long: {{says: {SAYS}, is: errors <= 5}}}}\n")]
    changes, _ = changes_of(*sides)
    assert "CHECK_ADDED looser" in {f"{change.id} {change.direction}" for change in changes}


def test_a_witness_is_replayed_without_the_draws_that_no_rule_reads() -> None:
    made = _protocol("intervals: {spread of accuracy: {draws: 10000}}\n")
    assert [interval.draws for interval in made.intervals] == [10000]
    assert [interval.draws for interval in _without_draws(made).intervals] == [1]
    over = "intervals: {spread of accuracy: {draws: 10000}}\n"
    _, context = changes_of(
        _protocol(over + _gate("accuracy >= 0.80")), _protocol(over + _gate("accuracy >= 0.75")), prove=True
    )
    assert {effect.status for effect in context.effects} == {"witness"}
