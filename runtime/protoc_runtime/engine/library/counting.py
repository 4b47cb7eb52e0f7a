"""Counts, sums, means and quantifiers: whole columns at a time, and aware of weights."""

from __future__ import annotations

from typing import Literal

import polars as pl

from protoc_runtime.engine.causes import MOST, Cause
from protoc_runtime.engine.context import Context
from protoc_runtime.engine.exact import Number, Ratio, divided
from protoc_runtime.engine.groups import per_parent, totals, unless_short
from protoc_runtime.engine.numbers import LIMIT, Numbers, as_numbers, numbers
from protoc_runtime.engine.rows import Rows
from protoc_runtime.engine.series import repeated
from protoc_runtime.engine.tally import Tally, tally
from protoc_runtime.engine.vec import Bools, Vec, as_bools


def count(rows: Rows) -> Numbers:
    """How many rows; 0 of nothing."""
    if rows.weights is None and rows.outer.size == 1:
        return unless_short(rows, numbers(rows.outer, [rows.size], whole=True))
    return unless_short(rows, Numbers(rows.outer, tally(rows).size, whole=True))


def total(rows: Rows, of: Vec, *, whole: bool = True) -> Numbers:
    """The sum; 0 of nothing. `whole`: that is a whole number, too, where `of` has no values to tell its kind."""
    vec = _kept_whole(as_numbers(of.to(rows)), whole)
    fast = _fast_total(rows, vec)
    if fast is None:
        made = numbers(rows.outer, per_parent(rows, [vec], _sum), whole=vec.whole)
        return unless_short(rows, made)
    return _summed(rows, vec, fast)


def mean(rows: Rows, of: Vec) -> Numbers:
    """The mean, as counted where the values are whole numbers; undefined of nothing."""
    vec = as_numbers(of.to(rows))
    fast = _fast_total(rows, vec)
    if fast is None:
        return divided_by(total(rows, vec), count(rows))
    many = unless_short(rows, Numbers(rows.outer, fast.size, whole=True))
    return divided_by(_summed(rows, vec, fast), many)


def rate(rows: Rows, of: Vec) -> Numbers:
    """The share of the rows for which the condition is true, as counted; undefined of nothing."""
    return mean(rows, indicator(of))


def indicator(of: Vec) -> Numbers:
    """1 where true, 0 where false."""
    return Numbers(of.context, as_bools(of).data.cast(pl.Int64), 1, 1, whole=True)


def some(rows: Rows, condition: Vec | None = None) -> Bools:
    """Whether the condition is true for a row, or whether there is one; false of nothing."""
    if condition is None:
        return _caused("some", rows, None, _positive(count(rows)))
    data = as_bools(condition.to(rows)).data
    return _caused("some", rows, data, _some(rows, data))


def no(rows: Rows, condition: Vec | None = None) -> Bools:
    """Whether the condition is false for every row, or whether there is none; true of nothing."""
    return ~some(rows, condition)


def every(rows: Rows, condition: Vec) -> Bools:
    """Whether the condition is true for every row; undefined of nothing."""
    data = as_bools(condition.to(rows)).data
    return _caused("all", rows, data, (~_some(rows, ~data)).masked(_any_rows(rows)))


def product(rows: Rows, of: Vec, *, whole: bool = True) -> Numbers:
    """The product; 1 of nothing, with `whole` as of a sum."""
    vec = _kept_whole(as_numbers(of.to(rows)), whole)
    return numbers(rows.outer, per_parent(rows, [vec], _product), whole=vec.whole)


def _kept_whole(vec: Numbers, whole: bool) -> Numbers:
    if whole or not vec.whole:
        return vec
    return Numbers(vec.context, vec.data, vec.den, vec.bound if vec.fast else None)


def _some(rows: Rows, data: pl.Series) -> Bools:
    found = totals(rows, {"v": data}, pl.col("v").any(ignore_nulls=False).alias("v"))["v"]
    found = found if rows.outer.size == 1 else found.zip_with(_any_rows(rows), _false(rows.outer))
    return unless_short(rows, Bools(rows.outer, found))


def _caused(quantifier: Literal["all", "some"], rows: Rows, condition: pl.Series | None, made: Bools) -> Bools:
    """The value of a quantifier, with the rows that it rests on where these are kept."""
    if rows.outer.size <= MOST:
        made.causes = (Cause(quantifier, rows, condition, made.data),)
    return made


def _summed(rows: Rows, vec: Numbers, fast: Tally) -> Numbers:
    made = Numbers(rows.outer, fast.total, vec.den, whole=vec.whole)
    return unless_short(rows, made.masked(fast.gaps == 0))


def _fast_total(rows: Rows, vec: Numbers) -> Tally | None:
    """Sums and counts of each parent; None where a sum might not fit."""
    if not vec.fast:
        return None
    if max(vec.bound, 1) * max(rows.rough, 1) > LIMIT:
        vec = vec.tight()
        if vec.bound * max(rows.most, 1) > LIMIT:
            return None
    return tally(rows, vec.series)


def _sum(values: list[Number]) -> Number:
    return sum(values)


def _product(values: list[Number]) -> Number:
    made: Number = 1
    for value in values:
        made = made * value
    return made


def divided_by(top: Numbers, bottom: Numbers) -> Numbers:
    """Quotients of sums by counts: as counted where the sums are whole."""
    tops, bottoms = top.values(), bottom.values()
    pairs = zip(tops, bottoms, strict=True)
    if top.whole:
        return Numbers(top.context, [Ratio(int(t), b) if b and t is not None else None for t, b in pairs])
    return Numbers(top.context, [None if t is None or b is None else divided(t, b) for t, b in pairs])


def _positive(vec: Numbers) -> Bools:
    return Bools(vec.context, vec.series > 0)


def _any_rows(rows: Rows) -> pl.Series:
    if rows.outer.size == 1:
        return pl.Series([rows.size > 0], dtype=pl.Boolean)
    return tally(rows).size > 0


def _false(context: Context) -> pl.Series:
    return repeated(False, context.size, pl.Boolean)
