"""Resampling intervals: a metric computed on many draws of rows at once.

The draws are a context of their own: a table that is drawn has its rows once per draw, and every formula is evaluated
for all draws of a batch together. What a draw does not change is taken from the real study.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import polars as pl

from protoc_runtime.engine import derived
from protoc_runtime.engine.context import INDEX, ONE, Context
from protoc_runtime.engine.declare import IntervalRule
from protoc_runtime.engine.numbers import numbers
from protoc_runtime.engine.objects import Structs
from protoc_runtime.engine.redrawn import Redrawn
from protoc_runtime.engine.rows import Rows, RowVec
from protoc_runtime.engine.study import BaseStudy
from protoc_runtime.engine.vec import Vec, lift

BATCH = 2_000_000  # rows that are looked at together
_PLACEHOLDER = re.compile(r"<[^<>]*>")


class Study(BaseStudy):
    """A study with its intervals."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._bounds: dict[str, tuple[Structs, tuple[Rows, ...]]] = {}

    def bound(self, interval: str, which: str, *rows: RowVec) -> Vec:
        """An output of a resampling interval (`low`, `high`, `kept`, `p`), or its entry of these rows."""
        if interval not in self._bounds:
            self._bounds[interval] = bounds(self, self.rules.intervals[interval])
        found, keys = self._bounds[interval]
        return derived.entry(found[which], keys, rows) if rows else found[which]


class RowSet:
    """Rows of one table that are drawn: their numbers, by stratum."""

    def __init__(self, table: str, root: str, strata: list[list[int]]) -> None:
        self.table = table
        self.root = root
        self.strata = strata


def bounds(study: BaseStudy, interval: IntervalRule) -> tuple[Structs, tuple[Rows, ...]]:
    """`low`, `high`, `kept` and `p` for each entry of the interval's metric."""
    keys: list[Rows] = []
    for table in interval.per:
        keys.append(keys[-1].open(study.rows(table)) if keys else study.rows(table))
    context: Context = keys[-1] if keys else ONE
    metric = study.entries("metrics", interval.metric).value.to(context).values()
    sets = interval.formula(study, *keys)
    strata = interval.strata(study, *keys, *sets) if interval.strata is not None else [()] * len(sets)
    units = None if interval.out_of is None else lift(interval.out_of(study, *keys)).to(context).values()
    made = []
    for at in range(context.size):
        drawn = [_entry_rows(rows, by, context, at) for rows, by in zip(sets, strata, strict=True)]
        values = _drawn_values(study, interval, keys, at, drawn, None if units is None else units[at])
        made.append(_summary(values, interval.level, metric[at] is not None))
    return _columns(context, made), tuple(keys)


def _entry_rows(rows: Rows, by: Sequence[Any], context: Context, at: int) -> RowSet:
    """The rows of one entry of the context, by stratum in declared order."""
    index, own = rows.index, context.index_in(rows.outer)[at]
    places = range(rows.size) if index is None else [place for place, outer in enumerate(index) if outer == own]
    orders = [_places(vec.to(rows)) for vec in by]
    numbers_ = rows.row.data.to_list()
    groups: dict[tuple[Any, ...], list[int]] = {}
    for place in places:
        groups.setdefault(tuple(order[place] for order in orders), []).append(numbers_[place])
    return RowSet(rows.table, rows.root, [groups[key] for key in sorted(groups)])


def _places(vec: Any) -> list[tuple[bool, int]]:
    """Sortable places of a stratum's values, an undefined one last."""
    ranks = vec.ordered(vec)[0].rank("dense").to_list()
    return [(rank is None, rank or 0) for rank in ranks]


def _drawn_values(
    study: BaseStudy, interval: IntervalRule, keys: Sequence[Rows], at: int, sets: list[RowSet], units: int | None
) -> list[Any]:
    labels = [study.label(key.root, key.row.to(keys[-1]).data[at]) for key in keys]
    generator = _generator(interval.seed, labels)
    rows = [key.row.to(keys[-1]).data[at] for key in keys]
    values: list[Any] = []
    size = max(1, BATCH // _widest(study, interval))
    while len(values) < interval.draws:
        batch = min(size, interval.draws - len(values))
        picked = [_pick(generator, sets, units) for _ in range(batch)]
        values += _evaluate(study, interval, [(key, row) for key, row in zip(keys, rows, strict=True)], sets, picked)
    return values


def _generator(seed: str, labels: list[str]) -> random.Random:
    given = iter(labels)
    text = _PLACEHOLDER.sub(lambda _: next(given), seed)
    return random.Random(int(text) if text.removeprefix("-").isdigit() else text)  # noqa: S311


def _widest(study: BaseStudy, interval: IntervalRule) -> int:
    names = {thing[1] for thing in interval.changed if thing[0] in ("table", "column")}
    sizes = [study.table(study.declared(name).root).size for name in names]
    return max([1, *sizes])


def _pick(generator: random.Random, sets: list[RowSet], units: int | None) -> list[list[int]]:
    """One draw: of each stratum as many rows as it has, with repetition; units beyond the rows are no rows."""
    made = []
    for rows in sets:
        taken: list[int] = []
        for stratum in rows.strata:
            count = len(stratum) if units is None else units
            for _ in range(count):
                place = int(generator.random() * count)
                if place < len(stratum):
                    taken.append(stratum[place])
        made.append(taken)
    return made


def _evaluate(
    study: BaseStudy,
    interval: IntervalRule,
    keys: list[tuple[Rows, int]],
    sets: list[RowSet],
    picked: list[list[list[int]]],
) -> list[Any]:
    drawn = Redrawn(study, interval, len(picked))
    for number, rows in enumerate(sets):
        data = pl.Series([row for draw in picked for row in draw[number]], dtype=INDEX)
        index = pl.Series([at for at, draw in enumerate(picked) for _ in draw[number]], dtype=INDEX)
        drawn.put(rows.table, rows.root, data, index)
    if interval.follow is not None:
        drawn.follow(interval.follow, [rows.table for rows in sets])
    return drawn.entry_values(interval.metric, keys)


def _summary(values: list[Any], level: Fraction, defined: bool) -> dict[str, Any]:
    kept = sorted(value for value in values if value is not None)
    count = len(kept)
    if not kept or not defined:
        return {"low": None, "high": None, "kept": count, "p": None}
    tail = (1 - level) / 2
    upper = (1 - tail) * count
    high = max(-(-upper.numerator // upper.denominator) - 1, 0)
    side = min(sum(value <= 0 for value in kept), sum(value >= 0 for value in kept))
    p = min(Fraction(1), Fraction(2 * side, count))
    return {"low": kept[tail.numerator * count // tail.denominator], "high": kept[high], "kept": count, "p": p}


def _columns(context: Context, made: list[dict[str, Any]]) -> Structs:
    fields = {}
    for name in ("low", "high", "kept", "p"):
        fields[name] = numbers(context, [one[name] for one in made], whole=name == "kept")
    return Structs(context, fields)
