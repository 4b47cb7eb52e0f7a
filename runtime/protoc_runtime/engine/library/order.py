"""Extremes, order statistics, and what depends on the order of the rows."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import polars as pl

from protoc_runtime.catalogue import rules as kinds
from protoc_runtime.engine.context import positions
from protoc_runtime.engine.exact import Number, divided
from protoc_runtime.engine.faults import stop
from protoc_runtime.engine.groups import per_parent, totals, unless_short
from protoc_runtime.engine.numbers import Numbers, as_numbers, numbers
from protoc_runtime.engine.objects import Objects
from protoc_runtime.engine.rows import Rows, RowVec
from protoc_runtime.engine.vec import Nothing, Vec, lift


def least(rows: Rows, of: Vec) -> Vec:
    """The smallest value; undefined of nothing."""
    return _extreme(rows, of, pl.Expr.arg_min)


def greatest(rows: Rows, of: Vec) -> Vec:
    """The largest value; undefined of nothing."""
    return _extreme(rows, of, pl.Expr.arg_max)


def _extreme(rows: Rows, of: Vec, place: Callable[[pl.Expr], pl.Expr]) -> Vec:
    vec = of.to(rows)
    if isinstance(vec, Nothing):
        return Nothing(rows.outer)
    found = totals(
        rows,
        {"v": vec.ordered(vec)[0], "i": positions(rows.size)},
        pl.col("i").gather(place(pl.col("v"))).first().alias("i"),
        pl.col("v").null_count().alias("nulls"),
    )
    at = found["i"].zip_with(
        (found["nulls"] == 0).fill_null(True), pl.Series([None], dtype=pl.UInt32).new_from_index(0, len(found))
    )
    return unless_short(rows, vec.take(at, rows.outer))


def distinct(rows: Rows, of: Vec) -> Numbers:
    """How many different values; 0 of nothing."""
    vec = of.to(rows)
    key = vec.keys(vec)[0]
    found = totals(
        rows, {"v": key}, pl.col("v").n_unique().cast(pl.Int64).alias("n"), pl.col("v").null_count().alias("nulls")
    )
    made = Numbers(rows.outer, found["n"].fill_null(0), whole=True)
    return unless_short(rows, made.masked((found["nulls"] == 0).fill_null(True)))


def listed(rows: Rows, of: Vec) -> Objects:
    """The values in the order of the rows."""
    return Objects(rows.outer, per_parent(rows, [of], tuple))


def only(rows: Rows) -> RowVec:
    """The one row; undefined where there is none, several stop the run."""
    weights = rows.weights
    many = pl.col("w").sum() if weights is not None else pl.len()
    columns = {"r": rows.row.data} if weights is None else {"r": rows.row.data, "w": weights}
    found = totals(rows, columns, pl.col("r").first(), many.alias("n"))
    if rows.size and (found["n"] > 1).any():
        stop(kinds.SEVERAL_ROWS, count=found["n"].max(), table=rows.table)
    return unless_short(rows, RowVec(rows.outer, found["r"], rows.root, rows.source))


def first(rows: Rows) -> RowVec:
    """The first row; undefined where there is none."""
    found = totals(rows, {"r": rows.row.data}, pl.col("r").first())
    return unless_short(rows, RowVec(rows.outer, found["r"], rows.root, rows.source))


def last(rows: Rows) -> RowVec:
    """The last row; undefined where there is none."""
    found = totals(rows, {"r": rows.row.data}, pl.col("r").last())
    return unless_short(rows, RowVec(rows.outer, found["r"], rows.root, rows.source))


def median(rows: Rows, of: Vec) -> Numbers:
    """The middle value, or the mean of the two in the middle; undefined of nothing."""
    return numbers(rows.outer, per_parent(rows, [as_numbers(of)], _median))


def quantile(rows: Rows, of: Vec, *, at: Any, method: Any = "nearest_rank") -> Numbers:
    """The quantile at a share between 0 and 1.

    `nearest_rank`: the ceil(p n)-th smallest (the first for p = 0). `linear`: between the order statistics around
    (n - 1) p, counted from 0. Undefined of nothing.
    """
    shares = lift(at).to(rows.outer).values()
    pick = _linear if lift(method).value() == "linear" else nearest_rank
    made = []
    for number, values in enumerate(per_parent(rows, [as_numbers(of)], sorted)):
        made.append(pick(values, shares[number]) if values and shares[number] is not None else None)
    return numbers(rows.outer, made)


def p95(rows: Rows, of: Vec) -> Numbers:
    """The nearest-rank quantile at 95%."""
    return quantile(rows, of, at=Fraction(19, 20))


def longest_run(rows: Rows, of: Vec) -> Numbers:
    """The most consecutive rows for which the condition is true; an undefined one ends a run. 0 of nothing."""
    return unless_short(rows, numbers(rows.outer, per_parent(rows, [of.is_defined() & of], _run), whole=True))


def max_drawdown(rows: Rows, of: Vec) -> Numbers:
    """The deepest fall of the running sum from its earlier peak, which starts at 0; undefined of nothing."""
    return numbers(rows.outer, per_parent(rows, [as_numbers(of)], _drawdown))


def cut_off(rows: Rows, values: Vec, /, *, group: Any, of: Any) -> Numbers:
    """The lower limit of a group (from 1) of equally many values from the bottom, the remainder on top.

    Group 1 has no limit above the smallest value; undefined where there are fewer values than groups.
    """
    places, counts = lift(group).to(rows.outer).values(), lift(of).to(rows.outer).values()
    made = []
    for number, ranked in enumerate(per_parent(rows, [as_numbers(values)], sorted)):
        made.append(_limit(ranked, places[number], counts[number]))
    return numbers(rows.outer, made)


def _median(values: list[Number]) -> Number | None:
    ranked, middle = sorted(values), len(values) // 2
    if not ranked:
        return None
    return ranked[middle] if len(ranked) % 2 else divided(ranked[middle - 1] + ranked[middle], 2)


def nearest_rank(ranked: list[Number], share: Fraction) -> Number:
    """The ceil(p n)-th smallest of sorted values."""
    return ranked[max(-(-share.numerator * len(ranked) // share.denominator), 1) - 1]


def _linear(ranked: list[Number], share: Fraction) -> Number:
    place = Fraction(share) * (len(ranked) - 1)
    below = place.numerator // place.denominator
    above = min(below + 1, len(ranked) - 1)
    return ranked[below] + (place - below) * (ranked[above] - ranked[below])


def _run(values: list[bool]) -> int:
    longest = here = 0
    for value in values:
        here = here + 1 if value else 0
        longest = max(longest, here)
    return longest


def _drawdown(values: list[Number]) -> Number | None:
    if not values:
        return None
    running: Number = 0
    peak: Number = 0
    deepest: Number = 0
    for value in values:
        running += value
        peak = max(peak, running)
        deepest = max(deepest, peak - running)
    return deepest


def _limit(ranked: list[Number] | None, group: int | None, groups: int | None) -> Number | None:
    if ranked is None or group is None or not groups or not 1 <= group <= groups or len(ranked) < groups:
        return None
    return ranked[len(ranked) // groups * (group - 1)]
