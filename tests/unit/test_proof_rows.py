"""The rows of a witness: what the search for them does not compute anew would come out as it was."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from protoc_compiler import core
from protoc_compiler.drift.reading import read
from protoc_compiler.proof import nodes as n
from protoc_compiler.proof.archetype import Archetypes, _Climb, inputs
from protoc_compiler.proof.closing import Grouping
from protoc_compiler.proof.compare import Pair
from protoc_compiler.proof.complete import _Completing, completed, targets
from protoc_compiler.proof.conditions import Budget
from protoc_compiler.proof.features import Feature
from protoc_compiler.proof.interpret import Rows
from protoc_compiler.proof.pools import Pools
from protoc_compiler.proof.realise import _Realising

SPECS = Path(__file__).parents[2] / "specs"
CASES = (  # a change of a gate
    ("theorempath_ask_holdout_v2", "must: accuracy >= 0.90", "must: accuracy >= 0.88"),
    ("theorempath_ask_holdout_v2", "FP > 2 or FN > 2", "FP > 3 or FN > 2"),
    ("neochart_r5", "no calls have at_once > 3", "no calls have at_once > 4"),
    ("neochart_r5", "chars(quote) > quote_limit", "chars(quote) > quote_limit + 1"),
)
Case = tuple[str, str, str]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]} {case[2]}")
def test_a_change_of_a_cell_gives_the_score_that_all_features_give(case: Case) -> None:
    tried = 0
    for climb in _climbs(case):
        for kept in (11, 23, 37):  # the change with this number is kept, so that the next ones start elsewhere
            best = climb._computed(climb.features)
            for step, (name, column, apply, undo) in enumerate(climb.maker.moves(climb.state)):
                reading, faulting = climb.reading[name, column], (name, column) in climb.faulting
                before = list(climb.values), list(climb.points), climb.faults
                apply()
                known = climb._computed(reading, faulting) if reading or faulting or not column else best
                assert known == climb._computed(climb.features), (name, column)
                tried += 1
                if step == kept:
                    break
                undo()
                climb.values, climb.points, climb.faults = before
    assert tried > 20


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]} {case[2]}")
def test_another_value_of_a_feature_counts_what_the_whole_cell_counts(case: Case) -> None:
    making = _realising(case)
    one = _Completing(making.space, making.found, targets(making.space, making.found, making.wanted))
    one.cells()
    for root, domains in one.domains.items():
        for at, cell in enumerate(one.whole[root]):
            for index, domain in enumerate(domains):
                reading = [(number, test) for number, test, used in one._tests(root) if index in used]
                for value in domain:
                    one._tried(root, at, index, value, reading)
                    assert one.held[root][at] == one._symbols(root, cell)
    counts = dict(one.counts)
    one._count()
    assert one.counts == counts


def test_a_feature_reads_what_its_rows_are_matched_ordered_and_grouped_by() -> None:
    tables = {table.name: table for table in _protocol("neochart_r5").tables}
    around = Rows(tables, {"turns by kind": Grouping("turns", ("kind",), ())})
    maker = Archetypes("turns", tables, around, Pools([], {}))
    match = core.Match("kind#0f", core.Const(core.TEXT, "completed"))
    matched = core.Aggregate(core.INT, "count", core.Rows("v0", "turns", match=(match,)), (), ())
    assert ("turns", "kind") in maker.read_by(Feature(matched, 0))
    placed = core.OneRow(core.Type("row", table="calls"), "first", core.Rows("v0", "calls"))
    assert maker.read_by(Feature(placed, 0)) == {("calls", "case"), ("calls", "n")}
    grouped = core.Aggregate(core.INT, "count", core.Rows("v0", "turns by kind"), (), ())
    columns = {("turns", column.name) for column in inputs(tables["turns"])}
    assert len(columns) > 3
    assert columns <= maker.read_by(Feature(grouped, 0))


def test_a_row_has_no_second_row_that_only_it_tells_apart() -> None:
    """Another one would be a repetition: to find a row without any, the search would have to pass it first."""
    tables = {table.name: table for table in _protocol("theorempath_ask_holdout_v2").tables}
    maker = Archetypes("cases", tables, Rows(tables, {}), Pools([], {}))
    state = maker.start()
    owned = {name: tables[name].key == (column,) for name, column in maker.owners.items()}
    assert set(owned.values()) == {True, False}
    for name, rows in state.children.items():
        moves = [(apply, undo) for table, column, apply, undo in maker.moves(state) if (table, column) == (name, "")]
        after = []
        for apply, undo in moves:
            apply()
            after.append(len(rows))
            undo()
        assert after == ([0] if owned[name] else [2, 0])


def _climbs(case: Case) -> Iterator[_Climb]:
    making = _realising(case)
    for root, cells in completed(making.space, making.found, making.wanted).items():
        maker = Archetypes(root, making.space.tables, making.rows, making.pools)
        features = sorted(making.space.features[root].known.values(), key=lambda feature: feature.index)
        counted = set(making.found.model.populations[root].features)
        for cell in cells:
            never = making._never(set(maker.owners))
            yield _Climb(maker, features, cell, counted, making._told(root, cell), never)


def _realising(case: Case) -> _Realising:
    spec, old, new = case
    pair = Pair(_protocol(spec), _protocol(spec, old, new))
    changed: Any = next(
        (before, after)
        for item in pair.old.protocol.of("gates")
        if (before := pair.old.good("gates", item.name)) != (after := pair.new.good("gates", item.name))
    )
    wanted = {changed[0]: n.FALSE, changed[1]: n.TRUE}
    for chosen in pair.levels(*changed):
        engine = pair.engine(chosen)
        assert engine is not None
        outcome = engine.ask(wanted, Budget(20_000))
        if outcome.found is not None:
            whole = {**dict.fromkeys(pair.new.expected, n.TRUE), **wanted}
            return _Realising(pair.space, outcome.found, whole)
    raise AssertionError("nothing was found")


@cache
def _protocol(spec: str, old: str = "", new: str = "") -> core.Protocol:
    path = SPECS / spec / "protocol.yaml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    return read(str(path), "protocol.yaml", text.replace(old, new, 1).encode() if old else text.encode()).protocol
