"""Extremes, order statistics, and what depends on the order of the rows."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import polars as pl

from protoc_runtime.catalogue import rules as kinds
from protoc_runtime.engine.context import ONE, Context, positions
from protoc_runtime.engine.exact import Number, divided
from protoc_runtime.engine.faults import stop
from protoc_runtime.engine.groups import per_parent, totals, unless_short
from protoc_runtime.engine.library.caps import share_within
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
    refers = of.root if isinstance(of, RowVec) else ""
    return Objects(rows.outer, per_parent(rows, [of], tuple), refers)


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
    ranked = Ranked(rows, as_numbers(of))
    low = ranked.at([None if not n else (n - 1) // 2 for n in ranked.counts])
    high = ranked.at([None if not n else n // 2 for n in ranked.counts])
    parts = zip(ranked.counts, low, high, strict=True)
    return numbers(rows.outer, [a if n is None or n % 2 or not n else divided(a + b, 2) for n, a, b in parts])


def quantile(rows: Rows, of: Vec, *, at: Any, method: Any = "nearest_rank") -> Numbers:
    """The quantile at a share between 0 and 1.

    `nearest_rank`: the ceil(p n)-th smallest (the first for p = 0). `linear`: between the order statistics around
    (n - 1) p, counted from 0. Undefined of nothing.
    """
    shares = lift(at).to(rows.outer).values()
    for share in shares:
        share_within("quantile", 0 if share is None else share)
    ranked = Ranked(rows, as_numbers(of))
    known = [(n, share) if n and share is not None else None for n, share in zip(ranked.counts, shares, strict=True)]
    if lift(method).value() != "linear":
        return numbers(rows.outer, ranked.at([None if pair is None else nearest_rank(*pair) for pair in known]))
    places: list[Any] = [None if pair is None else Fraction(pair[1]) * (pair[0] - 1) for pair in known]
    below = [None if place is None else place.numerator // place.denominator for place in places]
    above = [None if k is None or n is None else min(k + 1, n - 1) for k, n in zip(below, ranked.counts, strict=True)]
    parts = zip(places, below, ranked.at(below), ranked.at(above), strict=True)
    return numbers(rows.outer, [None if a is None else a + (place - k) * (b - a) for place, k, a, b in parts])


def p95(rows: Rows, of: Vec) -> Numbers:
    """The nearest-rank quantile at 95%, of whole numbers one of them."""
    found = quantile(rows, of, at=Fraction(19, 20))
    return numbers(rows.outer, found.values(), whole=as_numbers(of).whole)


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
    ranked = Ranked(rows, as_numbers(values))
    groups, many = lift(group).to(rows.outer).values(), lift(of).to(rows.outer).values()
    return numbers(rows.outer, ranked.at([*map(_limit, ranked.counts, groups, many)]))


class Ranked:
    """The values of each parent from small to large; `counts` is None where one is undefined or rows are missing."""

    def __init__(self, rows: Rows, of: Numbers) -> None:
        self.counts: list[int | None]
        self._vec = of.to(rows)
        if rows.outer.size == 1 and rows.weights is None:
            self._alone(rows)
            return
        frame = pl.DataFrame(
            {"outer": rows.index_in(rows.outer), "v": self._vec.ordered(self._vec)[0], "at": positions(rows.size)}
        )
        weights = rows.weights
        if weights is not None:
            frame = frame.select(pl.all().repeat_by(weights).explode())
        sizes = frame.group_by("outer").agg(pl.len().alias("n"), pl.col("v").null_count().alias("nulls"))
        every = pl.DataFrame({"outer": positions(rows.outer.size)})
        sizes = every.join(sizes, on="outer", how="left", maintain_order="left").fill_null(0)
        begins = [0]
        for size in sizes["n"]:
            begins.append(begins[-1] + size)
        self._begins = begins
        self._sorted = frame.sort(["outer", "v"])["at"]
        short = [False] * rows.outer.size if rows.short is None else rows.short.to_list()
        parts = zip(sizes["n"], sizes["nulls"], short, strict=True)
        self.counts = [None if nulls or lacking else n for n, nulls, lacking in parts]

    def _alone(self, rows: Rows) -> None:
        """The same for a single parent, without grouping."""
        key = self._vec.ordered(self._vec)[0]
        self._begins = [0]
        self._sorted = key.arg_sort()
        short = rows.short is not None and rows.short[0]
        self.counts = [None if key.null_count() or short else rows.size]

    def at(self, ranks: list[int | None]) -> list[Any]:
        """For each parent the value at a rank, counted from 0."""
        places = [None if k is None else begin + k for k, begin in zip(ranks, self._begins, strict=False)]
        index = self._sorted.gather(pl.Series(places, dtype=pl.Int64))
        return self._vec.take(index, Context(len(ranks), ONE)).values()


def nearest_rank(count: int, share: Fraction) -> int:
    """The place, from 0, of the ceil(p n)-th smallest of n values."""
    return max(-(-share.numerator * count // share.denominator), 1) - 1


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


def _limit(count: int | None, group: int | None, groups: int | None) -> int | None:
    if count is None or group is None or not groups or not 1 <= group <= groups or count < groups:
        return None
    return count // groups * (group - 1)
