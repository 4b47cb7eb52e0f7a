"""Scores of one runtime: whole numbers under one scale where they fit, else doubles with the digits that were written.

Whether a score reaches a bound is decided exactly in both: rounding keeps the order of two numbers, so that only where
a double equals that of the bound the digits are looked at. Differences are exact where scores are whole numbers, and of
`EXACT` rows or less; else they are doubles. They are shown, and decide nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from protoc_runtime.reading import numbers
from protoc_runtime.reading.numbers import Numbers
from protoc_runtime.record import record

if TYPE_CHECKING:
    import polars as pl

DOUBLE = -2  # in the place of a scale
EXACT = 10_000
_ROOM = 2**62  # numerators below it may be subtracted


@record
class Scores:
    """One score per row, null where there is none: Int64 numerators under `scale`, or doubles. `texts` are the digits
    of the doubles, where they are not those of their shortest form."""

    series: pl.Series
    scale: int
    texts: pl.Series | None = None

    def taken(self, rows: pl.Series) -> Scores:
        """The scores of these rows (numbers from 1; null gives null)."""
        places = rows - 1
        texts = None if self.texts is None else self.texts.gather(places)
        return Scores(self.series.gather(places), self.scale, texts)

    def exact(self) -> list[Fraction | None]:
        """The values."""
        if self.scale != DOUBLE:
            return numbers.fractions(Numbers(self.series, self.scale))
        written = self.series.to_list() if self.texts is None else self.texts.to_list()
        return [None if value is None else Fraction(str(value)) for value in written]


def from_doubles(series: pl.Series) -> Scores:
    """A column of finite doubles and nulls; each stands for the decimal of its shortest form."""
    import polars as pl

    plain = numbers.from_plain(series.cast(pl.String))
    return Scores(series, DOUBLE) if plain is None else Scores(plain.series, plain.scale)


def from_texts(texts: pl.Series) -> Scores:
    """A column of numbers as they are written (`0.5`, `1.0`, `1e-7`) and nulls."""
    import polars as pl

    plain = numbers.from_plain(texts)
    if plain is not None:
        return Scores(plain.series, plain.scale)
    return Scores(texts.cast(pl.Float64), DOUBLE, texts)


def reaches(scores: Scores, bound: Fraction, *, above: bool = False) -> pl.Series:
    """Whether each score is at least the bound (with `above`: more than it); null where there is none."""
    series = scores.series
    if scores.scale != DOUBLE:
        scaled = bound * 10**scores.scale
        least = scaled.__floor__() + 1 if above else scaled.__ceil__()
        return _bool(series >= min(max(least, -(2**63)), 2**63 - 1))
    near = bound.numerator / bound.denominator
    reached = _bool(series > near)
    ties = (series == near).fill_null(False).arg_true()
    if not ties.len():
        return reached
    tied = Scores(series.gather(ties), DOUBLE, None if scores.texts is None else scores.texts.gather(ties)).exact()
    held = [value is not None and (value > bound if above else value >= bound) for value in tied]
    return _bool(reached.scatter(ties, held))


def distances(one: Scores, other: Scores) -> list[Fraction] | Scores:
    """The absolute differences row by row, without those that have none."""
    if DOUBLE not in (one.scale, other.scale):
        scale = max(one.scale, other.scale)
        made = [_scaled(each, scale) for each in (one, other)]
        if made[0] is not None and made[1] is not None:
            return Scores((made[0] - made[1]).abs().drop_nulls(), scale)
    if one.series.len() <= EXACT:
        pairs = zip(one.exact(), other.exact(), strict=True)
        return [abs(a - b) for a, b in pairs if a is not None and b is not None]
    doubles = [_double(each) for each in (one, other)]
    return Scores((doubles[0] - doubles[1]).abs().drop_nulls(), DOUBLE)


def distance_to(scores: Scores, bound: Fraction) -> list[Fraction] | Scores:
    """How far each score is from the bound, without rows that have none."""
    for scale in range(scores.scale, numbers.PLACES + 1) if scores.scale != DOUBLE else ():
        whole, made = bound * 10**scale, _scaled(scores, scale)
        if made is None:
            break
        if whole.denominator == 1 and abs(whole) < _ROOM:
            return Scores((made - int(whole)).abs().drop_nulls(), scale)
    if scores.series.len() <= EXACT:
        return [abs(value - bound) for value in scores.exact() if value is not None]
    return Scores((_double(scores) - bound.numerator / bound.denominator).abs().drop_nulls(), DOUBLE)


def summary(values: list[Fraction] | Scores, *names: str) -> Mapping[str, Fraction | None]:
    """Values by name: min, max, mean, or a nearest-rank percentile such as `p95`; None for all of nothing."""
    if isinstance(values, list):
        ordered: Any = sorted(values)
        return {name: _one(ordered, None, name) if ordered else None for name in names}
    ordered = values.series.sort()
    return {name: _one(ordered, values.scale, name) if len(ordered) else None for name in names}


def _one(ordered: Any, scale: int | None, name: str) -> Fraction:
    count = len(ordered)
    if name == "mean":
        return _total(ordered, scale) / count
    rank = {"min": 1, "max": count}.get(name) or max(1, -(-int(name[1:]) * count // 100))
    value = ordered[rank - 1]
    if scale is None:
        return Fraction(value)
    return Fraction(repr(value)) if scale == DOUBLE else Fraction(value, 10**scale)


def _total(ordered: Any, scale: int | None) -> Fraction:
    import polars as pl

    if scale is None:
        return sum(ordered, Fraction(0))
    return Fraction(repr(ordered.sum())) if scale == DOUBLE else Fraction(int(ordered.cast(pl.Int128).sum()), 10**scale)


def _double(scores: Scores) -> pl.Series:
    import polars as pl

    return scores.series if scores.scale == DOUBLE else scores.series.cast(pl.Float64) / float(10**scores.scale)


def _scaled(scores: Scores, scale: int) -> pl.Series | None:
    """The numerators under a larger scale, if they fit with room for a difference."""
    factor = 10 ** (scale - scores.scale)
    ends: list[Any] = [scores.series.min(), scores.series.max()]
    largest = max(abs(int(end or 0)) for end in ends)
    return scores.series * factor if largest * factor < _ROOM else None


def _bool(series: Any) -> pl.Series:
    found: pl.Series = series
    return found
