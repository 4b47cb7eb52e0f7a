"""Resampling intervals: a metric computed on many draws of rows at once.

The draws are a context of their own: a table that is drawn has its rows once per draw, and every formula is evaluated
for all draws of a batch together. What a draw does not change is taken from the real study.
"""

from __future__ import annotations

import random
import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import polars as pl

from protoc_runtime.engine import derived
from protoc_runtime.engine.context import INDEX, ONE, Context
from protoc_runtime.engine.declare import IntervalRule
from protoc_runtime.engine.library.caps import MOST_UNITS, within
from protoc_runtime.engine.numbers import numbers
from protoc_runtime.engine.objects import Structs
from protoc_runtime.engine.pooled import Folded, Picks, Unfit
from protoc_runtime.engine.redrawn import Redrawn
from protoc_runtime.engine.rows import Rows, RowVec
from protoc_runtime.engine.study import BaseStudy
from protoc_runtime.engine.twister import below, uniform
from protoc_runtime.engine.vec import Vec, lift

BATCH = 2_000_000  # rows that are looked at together
FOLDED = 8_000_000  # drawn units that are looked at together
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
    for unit in units or ():
        within("out_of", unit or 0, MOST_UNITS, "units")
    made = []
    for at in range(context.size):
        if _undefined(sets, context, at) or (units is not None and units[at] is None):
            made.append(dict.fromkeys(("low", "high", "kept", "p")))
            continue
        drawn = [_entry_rows(rows, by, context, at) for rows, by in zip(sets, strata, strict=True)]
        values = _drawn_values(study, interval, keys, at, drawn, None if units is None else units[at])
        made.append(_summary(values, interval.level, metric[at] is not None))
    return _columns(context, made), tuple(keys)


def _undefined(sets: Sequence[Rows], context: Context, at: int) -> bool:
    """Whether it is undefined for one entry of the context which rows are drawn."""
    return any(rows.short is not None and rows.short[context.index_in(rows.outer)[at]] for rows in sets)


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
    """The metric of every draw: from sums per unit where it is made of such, else from the rows of all draws."""
    labels = [study.label(key.root, key.row.to(keys[-1]).data[at]) for key in keys]
    entry = [(key, key.row.to(keys[-1]).data[at]) for key in keys]
    each = sum(len(stratum) if units is None else units for rows in sets for stratum in rows.strata)
    try:
        size = max(2, FOLDED // max(each, 1))
        return drawn_values(Folded, study, interval, entry, sets, units, _generator(interval.seed, labels), size)
    except Unfit:
        size = max(1, BATCH // _widest(study, interval))
        return drawn_values(Redrawn, study, interval, entry, sets, units, _generator(interval.seed, labels), size)


def drawn_values(
    kind: type[Redrawn], study: BaseStudy, interval: IntervalRule, entry: list[tuple[Rows, int]], sets: list[RowSet],
    units: int | None, generator: random.Random, size: int,
) -> list[Any]:  # fmt: skip
    """The metric of every draw in one of the two ways, `size` draws at once."""
    values: list[Any] = []
    while len(values) < interval.draws:
        batch = min(size, interval.draws - len(values))
        picks = picked(generator, sets, units, batch)
        values += _evaluate(kind(study, interval, batch), interval, entry, sets, picks)
    return values


def _generator(seed: str, labels: list[str]) -> random.Random:
    given = iter(labels)
    text = _PLACEHOLDER.sub(lambda _: next(given), seed)
    return random.Random(int(text) if text.removeprefix("-").isdigit() else text)  # noqa: S311


def _widest(study: BaseStudy, interval: IntervalRule) -> int:
    names = {thing[1] for thing in interval.changed if thing[0] in ("table", "column")}
    sizes = [study.table(study.declared(name).root).size for name in names]
    return max([1, *sizes])


def picked(generator: random.Random, sets: list[RowSet], units: int | None, draws: int) -> list[Picks]:
    """Draws: of each stratum as many rows as it has, with repetition; units beyond the rows are no rows."""
    sizes = [[len(stratum) for stratum in rows.strata] for rows in sets]
    counts = [[size if units is None else units for size in of] for of in sizes]
    each = sum(map(sum, counts))
    if counts == sizes and [len(of) for of in sizes] == [1]:
        return [Picks(_units(sets[0]), below(generator, each * draws, each), draws, None)]
    u, made, begin = uniform(generator, each * draws), [], 0
    for rows, of, many in zip(sets, sizes, counts, strict=True):
        own = u
        if len(sets) > 1:
            at = pl.int_range(each * draws, eager=True) % max(each, 1)
            own = u.filter((at >= begin) & (at < begin + sum(many)))
        made.append(_picks(rows, of, many, own, draws))
        begin += sum(many)
    return made


def _units(rows: RowSet) -> pl.Series:
    return pl.Series([row for stratum in rows.strata for row in stratum], dtype=INDEX)


def _picks(rows: RowSet, sizes: list[int], counts: list[int], u: pl.Series, draws: int) -> Picks:
    """The places of one row set: `u` has for each draw in turn one number per place."""
    units, own = _units(rows), sum(counts)
    if len(sizes) == 1:
        places = (u * float(counts[0])).cast(INDEX)
        if counts == sizes:
            return Picks(units, places, draws, None)
        frame = pl.DataFrame({"inner": places, "place": places}).with_columns(size=pl.lit(sizes[0], dtype=INDEX))
    else:
        strata = pl.DataFrame({"count": counts, "size": sizes}, schema={"count": pl.Float64, "size": INDEX})
        strata = strata.with_columns(first=(pl.col("size").cum_sum() - pl.col("size")).cast(INDEX))
        which = pl.Series([at for at, count in enumerate(counts) for _ in range(count)], dtype=INDEX)
        at = which.gather(pl.int_range(len(u), dtype=INDEX, eager=True) % max(own, 1))
        frame = strata.select(pl.all().gather(at)).with_columns(inner=(u * pl.col("count")).cast(INDEX))
        frame = frame.with_columns(place=pl.col("inner") + pl.col("first"))
    if counts == sizes:
        return Picks(units, frame["place"], draws, None)
    frame = frame.with_columns(draw=pl.int_range(pl.len(), dtype=INDEX) // max(own, 1))
    frame = frame.filter(pl.col("inner") < pl.col("size"))
    return Picks(units, frame["place"], draws, frame["draw"])


def _evaluate(
    drawn: Redrawn, interval: IntervalRule, keys: list[tuple[Rows, int]], sets: list[RowSet], picks: list[Picks]
) -> list[Any]:
    if isinstance(drawn, Folded) and drawn.draws.size < 2:
        raise Unfit
    for rows, taken in zip(sets, picks, strict=True):
        if isinstance(drawn, Folded):
            drawn.take(rows.table, rows.root, taken)
        else:
            drawn.put(rows.table, rows.root, taken.units.gather(taken.places), taken.draw)
    if interval.follow is not None:
        drawn.follow(interval.follow, [rows.table for rows in sets])
    return drawn.entry_values(interval.metric, keys)


def _summary(values: list[Any], level: Fraction, defined: bool) -> dict[str, Any]:
    kept = in_order([value for value in values if value is not None])
    count = len(kept)
    if not kept or not defined:
        return {"low": None, "high": None, "kept": count, "p": None}
    tail = (1 - level) / 2
    upper = (1 - tail) * count
    high = max(-(-upper.numerator // upper.denominator) - 1, 0)
    side = min(bisect_right(kept, 0), count - bisect_left(kept, 0))  # how many are at most 0, and at least
    p = min(Fraction(1), Fraction(2 * side, count))
    return {"low": kept[tail.numerator * count // tail.denominator], "high": kept[high], "kept": count, "p": p}


def in_order(values: list[Any]) -> list[Any]:
    """The values sorted exactly; fractions by their nearest double first, which is quick and keeps their order."""
    if all(isinstance(value, Fraction) and abs(value.numerator) < 2**1000 for value in values):
        return sorted(values, key=lambda value: (value.numerator / value.denominator, value))
    return sorted(values)


def _columns(context: Context, made: list[dict[str, Any]]) -> Structs:
    fields = {}
    for name in ("low", "high", "kept", "p"):
        fields[name] = numbers(context, [one[name] for one in made], whole=name == "kept")
    return Structs(context, fields)
