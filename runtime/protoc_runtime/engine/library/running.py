"""Aggregates over `earlier T` for every row at once, by running sums instead of pairs of rows."""

from __future__ import annotations

from itertools import accumulate

import polars as pl

from protoc_runtime.engine.context import Context
from protoc_runtime.engine.exact import Number
from protoc_runtime.engine.faults import EngineError
from protoc_runtime.engine.library.counting import divided_by, indicator
from protoc_runtime.engine.numbers import LIMIT, Numbers, as_numbers, numbers
from protoc_runtime.engine.rows import Rows, RowVec
from protoc_runtime.engine.vec import Bools, Vec, as_bools, lift


class Before:
    """For each row of `base` how many of `rows` stand before it; undefined where it has no place in their order, and
    behind a row of which a filter is undefined."""

    def __init__(self, rows: Rows, base: Vec) -> None:
        if rows.outer.size != 1:
            raise EngineError("running sums over rows that are drawn")
        self.context: Context = base.context
        if not isinstance(base, RowVec):
            self.places = pl.Series([None] * base.context.size, dtype=pl.UInt32)
            return
        order = rows.source.places(rows.table)
        own = order.gather(base.data)
        known = own.is_not_null()
        if rows.gaps is not None:
            known &= (own <= order.gather(rows.gaps).min()).fill_null(False)
        elif rows.short is not None:
            known &= False
        found = order.gather(rows.row.data).search_sorted(own, side="left")
        self.places = pl.DataFrame({"n": found, "known": known}).select(pl.when("known").then("n"))["n"]


def earlier_count(rows: Rows, base: Vec) -> Numbers:
    """How many of the rows stand before each row of `base`."""
    before = Before(rows, base)
    weights = rows.weights
    if weights is not None:
        return earlier_sum(rows, lift(1), base)
    return Numbers(before.context, before.places.cast(pl.Int64), whole=True)


def earlier_sum(rows: Rows, of: Vec, base: Vec) -> Numbers:
    """The sum over the rows that stand before each row of `base`; undefined where one of them is."""
    before = Before(rows, base)
    vec = as_numbers(of.to(rows))
    if rows.weights is not None:
        vec = vec * Numbers(rows, rows.weights, whole=True)
    sums = _running(vec).take(before.places, before.context)
    gaps = pl.concat([pl.Series([0], dtype=pl.UInt32), (~vec.defined()).cast(pl.UInt32).cum_sum()])
    return sums.masked(gaps.gather(before.places) == 0)


def earlier_mean(rows: Rows, of: Vec, base: Vec) -> Numbers:
    """The mean over the rows that stand before each row of `base`; undefined of nothing."""
    return divided_by(earlier_sum(rows, of, base), earlier_count(rows, base))


def earlier_rate(rows: Rows, of: Vec, base: Vec) -> Numbers:
    """The share of true ones among the rows that stand before each row of `base`."""
    return earlier_mean(rows, indicator(of), base)


def earlier_some(rows: Rows, condition: Vec | None, base: Vec) -> Bools:
    """Whether the condition is true for a row before each row of `base`, or whether there is one."""
    if condition is None:
        return earlier_count(rows, base) > 0
    met = as_bools(condition.to(rows))
    hits = earlier_sum(rows, indicator(met.is_true()), base) > 0
    known = earlier_sum(rows, indicator(met), base).is_defined()
    return hits.masked(hits.data | known.data)


def earlier_no(rows: Rows, condition: Vec | None, base: Vec) -> Bools:
    """Whether the condition is false for every row before each row of `base`, or whether there is none."""
    return ~earlier_some(rows, condition, base)


def _running(vec: Numbers) -> Numbers:
    """0 and the running sums; an undefined value counts as 0 here."""
    size = vec.context.size
    context = Context(size + 1)
    if vec.fast and vec.bound * max(size, 1) <= LIMIT:
        sums = pl.concat([pl.Series([0], dtype=pl.Int64), vec.series.fill_null(0).cum_sum()])
        return Numbers(context, sums, vec.den, whole=vec.whole)
    values: list[Number] = [0 if value is None else value for value in vec.values()]
    return numbers(context, [*accumulate(values, initial=0)], whole=vec.whole)
