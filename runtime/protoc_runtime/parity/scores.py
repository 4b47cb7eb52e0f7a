"""Scores of one runtime: exact where they fit into whole numbers under one scale, else rationals, else doubles.

Whether a score reaches a bound is decided exactly in all three: a double stands for the decimal of its shortest form,
and rounding keeps the order of two numbers. Differences of doubles are doubles; they are shown, and decide nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from protoc_runtime.reading import numbers
from protoc_runtime.reading.numbers import Numbers
from protoc_runtime.record import record
from protoc_runtime.tables import RATIONAL

if TYPE_CHECKING:
    import polars as pl

DOUBLE = -2  # in the place of a scale
_ROOM = 2**62  # numerators below it may be subtracted


@record
class Scores:
    """One score per row, null where there is none: Int64 numerators under `scale`, texts `num/den` or doubles."""

    series: pl.Series
    scale: int

    def of(self, series: pl.Series) -> Scores:
        """Other rows of the same kind."""
        return Scores(series, self.scale)

    def exact(self) -> list[Fraction | None]:
        """The values; a double as the decimal of its shortest form."""
        if self.scale == DOUBLE:
            return [None if value is None else Fraction(repr(value)) for value in self.series]
        return numbers.fractions(Numbers(self.series, self.scale))


def from_fractions(values: Sequence[Fraction | None]) -> Scores:
    """Any exact values."""
    made = numbers.from_fractions(values)
    return Scores(made.series, made.scale)


def from_series(series: pl.Series) -> Scores:
    """A column of finite numbers and nulls."""
    import polars as pl

    if series.dtype == pl.Float64:
        plain = numbers.from_plain(series.cast(pl.String))
        return Scores(series, DOUBLE) if plain is None else Scores(plain.series, plain.scale)
    return from_fractions([None if value is None else Fraction(str(value)) for value in series.to_list()])


def reaches(scores: Scores, bound: Fraction, *, above: bool = False) -> pl.Series:
    """Whether each score is at least the bound (with `above`: more than it); null where there is none."""
    import polars as pl

    series: pl.Series = scores.series
    if scores.scale == DOUBLE:
        near = bound.numerator / bound.denominator
        shortest = Fraction(repr(near))
        tie = shortest > bound if above else shortest >= bound
        reached: pl.Series = (series >= near) if tie else (series > near)
        return reached
    if scores.scale != RATIONAL:
        scaled = bound * 10**scores.scale
        least = scaled.__floor__() + 1 if above else scaled.__ceil__()
        if abs(least) < 2**63:
            known: pl.Series = series >= least
            return known
    found = [None if v is None else v > bound if above else v >= bound for v in scores.exact()]
    return pl.Series(found, dtype=pl.Boolean)


def distances(one: Scores, other: Scores) -> Scores:
    """The absolute differences row by row, without those that have none."""
    import polars as pl

    if min(one.scale, other.scale) >= 0:
        scale = max(one.scale, other.scale)
        made = [_scaled(each, scale) for each in (one, other)]
        if made[0] is not None and made[1] is not None:
            return Scores((made[0] - made[1]).abs().drop_nulls(), scale)
    if one.scale == other.scale == DOUBLE:
        return Scores((one.series - other.series).abs().drop_nulls(), DOUBLE)
    if DOUBLE in (one.scale, other.scale):
        doubles = [_double(each) for each in (one, other)]
        return Scores((doubles[0] - doubles[1]).abs().drop_nulls().cast(pl.Float64), DOUBLE)
    pairs = zip(one.exact(), other.exact(), strict=True)
    return _rational([abs(a - b) for a, b in pairs if a is not None and b is not None])


def distance_to(scores: Scores, bound: Fraction) -> Scores:
    """How far each score is from the bound, without rows that have none."""
    if scores.scale == DOUBLE:
        return Scores((scores.series - bound.numerator / bound.denominator).abs().drop_nulls(), DOUBLE)
    if scores.scale != RATIONAL:
        for scale in range(scores.scale, numbers.PLACES + 1):
            whole, made = bound * 10**scale, _scaled(scores, scale)
            if made is None:
                break
            if whole.denominator == 1 and abs(whole) < _ROOM:
                return Scores((made - int(whole)).abs().drop_nulls(), scale)
    return _rational([abs(v - bound) for v in scores.exact() if v is not None])


def summary(scores: Scores, *names: str) -> Mapping[str, Fraction | None]:
    """Values by name: min, max, mean, or a nearest-rank percentile such as `p95`; None for all of nothing."""
    ordered: Any = sorted(map(Fraction, scores.series)) if scores.scale == RATIONAL else scores.series.sort()
    return {name: _one(ordered, scores.scale, name) if len(ordered) else None for name in names}


def _one(ordered: Any, scale: int, name: str) -> Fraction:
    count = len(ordered)
    if name == "mean":
        return _total(ordered, scale) / count
    rank = {"min": 1, "max": count}.get(name) or max(1, -(-int(name[1:]) * count // 100))
    value = ordered[rank - 1]
    if scale == DOUBLE:
        return Fraction(repr(value))
    return Fraction(value) / (10**scale if scale != RATIONAL else 1)


def _total(ordered: Any, scale: int) -> Fraction:
    import polars as pl

    if scale == DOUBLE:
        return Fraction(repr(ordered.sum()))
    return Fraction(sum(ordered)) if scale == RATIONAL else Fraction(int(ordered.cast(pl.Int128).sum()), 10**scale)


def _double(scores: Scores) -> pl.Series:
    import polars as pl

    if scores.scale >= 0:
        return scores.series.cast(pl.Float64) / float(10**scores.scale)
    return pl.Series([None if value is None else float(value) for value in scores.exact()], dtype=pl.Float64)


def _scaled(scores: Scores, scale: int) -> pl.Series | None:
    """The numerators under a larger scale, if they fit with room for a difference."""
    factor = 10 ** (scale - scores.scale)
    ends: list[Any] = [scores.series.min(), scores.series.max()]
    largest = max(abs(int(end or 0)) for end in ends)
    return scores.series * factor if largest * factor < _ROOM else None


def _rational(values: list[Fraction]) -> Scores:
    import polars as pl

    return Scores(pl.Series([f"{v.numerator}/{v.denominator}" for v in values], dtype=pl.String), RATIONAL)
