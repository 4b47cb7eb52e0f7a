"""What is worked out of a whole protocol: what waits for people, where conditions stand, what is kept."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from protoc_compiler import core, identity, resting
from protoc_compiler.by_protocol import by_protocol
from protoc_compiler.conditions import Conditions
from protoc_compiler.core.tree import parts, rows_in
from protoc_compiler.decided import Decider
from protoc_compiler.drift.reading import read
from protoc_compiler.drift.reads import apart, as_one, readers
from protoc_compiler.facts import Facts
from protoc_compiler.proof.compare import Pair
from protoc_runtime.diagnostics import Span
from protoc_runtime.evidence import rests
from protoc_runtime.record import replace
from unit.protocols import tickets
from unit.proving import ask

SPECS = sorted((Path(__file__).parents[2] / "specs").glob("*/protocol.yaml"))


@cache
def protocol(path: Path) -> core.Protocol:
    return read(str(path), path.name).protocol


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.parent.name)
def test_items_wait_that_rest_on_judgements(path: Path) -> None:
    made = protocol(path)
    expected = {thing for thing, rest in rests(identity.tree(made)).items() if rest.judgements}
    assert resting.evidence(made).waiting() == (expected if made.judgements else set())


def test_some_items_wait() -> None:
    assert any(resting.evidence(protocol(path)).waiting() for path in SPECS)


class _Seen(Conditions):
    def __init__(self, decider: Decider) -> None:
        super().__init__(decider)
        self.seen: set[core.Expr] = set()

    def condition(self, test: core.Expr, facts: Facts, span: Span | None) -> None:
        self.seen.add(test)

    def key(self, table: core.Table, column: core.Col, facts: Facts, span: Span | None) -> None:
        """Keys are no conditions."""


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.parent.name)
def test_every_condition_of_a_protocol_is_visited(path: Path) -> None:
    made = protocol(path)
    walker = _Seen(Decider(made))
    walker.narrowed = True
    walker.protocol(made)
    formulas = [item.expr for item in made.items] + [item.withheld for item in made.items if item.withheld is not None]
    formulas += [column.expr for table in made.tables for column in table.columns if column.expr is not None]
    formulas += [item.expr for table in made.tables for item in table.expect]
    rows = [rows for formula in formulas for rows in rows_in(formula)]
    rows += [one for table in made.tables if table.rows is not None for one in rows_in(table.rows)]
    formulas += [test for one in rows for test in one.where]
    tests = {test for one in rows for test in one.where}
    tests |= {
        test
        for formula in formulas
        for part in parts(formula)
        if isinstance(part, core.Choose)
        for test, _ in part.lines
    }
    tests |= {item.withheld for item in made.items if item.withheld is not None}
    assert len(tests) > 10
    assert walker.seen >= tests


def test_what_is_made_of_a_protocol_is_made_once_and_for_it_alone() -> None:
    asked = []

    @by_protocol
    def named(one: core.Protocol) -> str:
        asked.append(one)
        return one.title

    one = tickets()
    other = replace(one, title="Another")
    assert [named(one), named(other), named(one), named(other)] == [one.title, "Another", one.title, "Another"]
    assert len(asked) == 2
    for number in range(4):
        named(replace(one, title=str(number)))
    assert named(one) == one.title
    assert len(asked) == 7


def test_what_two_protocols_have_in_common_is_one_formula() -> None:
    pair = Pair(ask(), ask(("must: accuracy >= 0.90", "must: accuracy >= 0.88")))
    one, other = (side.closing.item("gates", "P2.2") for side in (pair.old, pair.new))
    assert one is other
    one, other = (side.closing.item("gates", "P2.1") for side in (pair.old, pair.new))
    assert one != other


@pytest.mark.parametrize(
    ("change", "rules"),
    [
        (("must: accuracy >= 0.90", "must: accuracy >= 0.88"), {"P2.1"}),
        (("Overall accuracy at least 0.90.", "Accuracy."), set()),
        (("accuracy: {is: (TP + TN) / count(cases)", "accuracy: {is: TP / count(cases)"), {"P2.1", "P2.6"}),
        (("dimension: {is: 64", "dimension: {is: 65"), {"P1.6"}),
    ],
    ids=["rule", "words", "metric", "freeze"],
)
def test_what_may_mean_something_else_is_what_changed_and_reads_it(change: tuple[str, str], rules: set[str]) -> None:
    old, new = ask(), ask(change)
    found = apart(old, as_one(new, old), (readers(old), readers(new)))
    assert {thing[2] for thing in found if thing[1] in ("gates", "blockers")} == rules
    assert bool(found) is bool(rules)


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.parent.name)
def test_a_protocol_made_one_with_another_is_the_same_protocol(path: Path) -> None:
    for other in SPECS:
        assert as_one(protocol(path), protocol(other)) == protocol(path)
