"""Exact numbers in columns: decimals as written become Int64 numerators with one scale, or `num/den` texts."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import polars as pl

from protoc_runtime.declared import Type
from protoc_runtime.reading.decimals import places_of, ratio_text
from protoc_runtime.record import record
from protoc_runtime.tables import RATIONAL, UNIT_FACTORS, UNIT_PLACES

PLACES = 18  # decimal places that fit beside a digit in Int64
_POWERS = [10**k for k in range(PLACES + 1)]
_INT64 = 2**63
_PLAIN = r"^-?[0-9]{1,18}\.[0-9]{1,17}$"


@record
class Numbers:
    """Numbers of one chunk or column: Int64 numerators and their scale, or texts with scale -1."""

    series: pl.Series
    scale: int


def from_literals(values: Sequence[bytes | int | None]) -> Numbers | None:
    """Plain decimals (`0.75`, `12`) of one chunk; None where one needs more care."""
    raw = pl.Series([b"%d.0" % v if type(v) is int else v for v in values], dtype=pl.Binary)
    return from_plain(raw.cast(pl.String))


def from_plain(text: pl.Series) -> Numbers | None:
    """Texts of plain decimals with a point; None where one is no such text, or they do not fit under one scale."""
    if not text.str.contains(_PLAIN).all():
        return None
    places = text.str.len_bytes() - text.str.find(".", literal=True) - 1
    scale = _largest(places)
    digits = text.str.replace(".", "", literal=True)
    before = digits.str.len_bytes().cast(pl.Int64) - places.cast(pl.Int64)  # digits before the point, and a sign
    if _largest(before) + scale > PLACES:
        return None
    factor = pl.Series(_POWERS, dtype=pl.Int64).gather((scale - places.cast(pl.Int64)).cast(pl.UInt32))
    return Numbers(digits.cast(pl.Int64) * factor, scale)


def from_fractions(values: Sequence[Fraction | None]) -> Numbers:
    """Any exact values: numerators where one scale serves all of them, else texts."""
    places = [places_of(value) for value in values if value is not None]
    scale = max((PLACES + 1 if p is None else p for p in places), default=0)
    if scale <= PLACES:
        made = [None if v is None else v.numerator * (10**scale // v.denominator) for v in values]
        if all(v is None or -_INT64 < v < _INT64 for v in made):
            return Numbers(pl.Series(made, dtype=pl.Int64), scale)
    return Numbers(pl.Series([None if v is None else ratio_text(v) for v in values], dtype=pl.String), RATIONAL)


def in_base_unit(numbers: Numbers, kind: Type) -> Numbers:
    """Numbers in the unit that was declared (`ms`), brought into the base unit (`s`)."""
    places, factor = UNIT_PLACES.get(kind.shown, 0), UNIT_FACTORS.get(kind.shown, 1)
    if places == 0 and factor == 1:
        return numbers
    if numbers.scale == RATIONAL or numbers.scale + places > PLACES or not _fits(numbers.series, factor):
        ratio = Fraction(factor, 10**places)
        return from_fractions([None if v is None else v * ratio for v in fractions(numbers)])
    return Numbers(numbers.series * factor if factor != 1 else numbers.series, numbers.scale + places)


def joined(parts: Sequence[Numbers]) -> Numbers:
    """The chunks of one column under one scale."""
    scale = max((part.scale for part in parts), default=0)
    fitting = all(p.scale != RATIONAL and _fits(p.series, 10 ** (scale - p.scale)) for p in parts)
    if fitting:
        made = [p.series if p.scale == scale else p.series * 10 ** (scale - p.scale) for p in parts]
        return Numbers(pl.concat(made) if made else pl.Series([], dtype=pl.Int64), scale)
    texts = [from_texts(p).series for p in parts]
    return Numbers(pl.concat(texts), RATIONAL)


def from_texts(numbers: Numbers) -> Numbers:
    """The same numbers as `num/den` texts."""
    if numbers.scale == RATIONAL:
        return numbers
    texts = [None if v is None else ratio_text(v) for v in fractions(numbers)]
    return Numbers(pl.Series(texts, dtype=pl.String), RATIONAL)


def fractions(numbers: Numbers) -> list[Fraction | None]:
    """The exact values."""
    if numbers.scale == RATIONAL:
        return [None if v is None else Fraction(v) for v in numbers.series]
    below = 10**numbers.scale
    return [None if v is None else Fraction(v, below) for v in numbers.series]


def _largest(series: pl.Series) -> int:
    found = series.max()
    return found if isinstance(found, int) else 0


def _fits(series: pl.Series, factor: int) -> bool:
    low, high = series.min(), series.max()
    if low is None or high is None:
        return factor < _INT64
    return max(abs(int(low)), abs(int(high))) * factor < _INT64  # type: ignore[arg-type]
