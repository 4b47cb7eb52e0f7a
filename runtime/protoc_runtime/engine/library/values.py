"""Functions on values, row by row."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from typing import Any

import polars as pl

from protoc_runtime.engine.context import Context
from protoc_runtime.engine.exact import WORKING, Exact, Number, Real, decimal, normal_quantile, rounded, square_root
from protoc_runtime.engine.faults import EngineError
from protoc_runtime.engine.library.caps import MOST_PLACES, level_within, within
from protoc_runtime.engine.numbers import Numbers, as_numbers, numbers
from protoc_runtime.engine.objects import Structs
from protoc_runtime.engine.plain import Plain, Texts
from protoc_runtime.engine.vec import Bools, Vec, aligned, as_bools, lift, merge, nulls


def mapped(make: Callable[..., Any], *operands: object) -> tuple[Vec, list[Any]]:
    """The context's vector and `make` of the operands' values, undefined where one is."""
    vecs = aligned(*map(lift, operands))
    columns = [vec.values() for vec in vecs]
    made = [None if any(v is None for v in row) else make(*row) for row in zip(*columns, strict=True)]
    return vecs[0], made


def absolute(value: object) -> Numbers:
    """The size of a number."""
    vec = as_numbers(lift(value))
    if vec.fast:
        return Numbers(vec.context, vec.series.abs(), vec.den, vec.bound, whole=vec.whole)
    return numbers(vec.context, [None if v is None else abs(v) for v in vec.values()], whole=vec.whole)


def floor(value: object) -> Numbers:
    """The largest whole number that is not larger."""
    vec = as_numbers(lift(value))
    if vec.fast:
        return Numbers(vec.context, vec.series // vec.den if vec.den != 1 else vec.series, 1, vec.bound, whole=True)
    made = [None if v is None else v.numerator // v.denominator for v in vec.values()]
    return numbers(vec.context, made, whole=True)


def smallest(*values: object) -> Vec:
    """The smallest of the operands; undefined if one is."""
    return reduce(lambda a, b: _better(a, b, a <= b), map(lift, values))


def largest(*values: object) -> Vec:
    """The largest of the operands; undefined if one is."""
    return reduce(lambda a, b: _better(a, b, a >= b), map(lift, values))


def indicator(value: object) -> Numbers:
    """1 where true, 0 where false."""
    vec = as_bools(lift(value))
    return Numbers(vec.context, vec.data.cast(pl.Int64), 1, 1, whole=True)


def day(value: object) -> Plain:
    """The UTC day of a time."""
    vec = _plain(lift(value))
    times = vec.data if vec.data.dtype.is_temporal() else nulls(len(vec.data), pl.Datetime("us", "UTC"))
    return Plain(vec.context, times.dt.date(), "date")


def chars(value: object) -> Numbers:
    """How many code points a text has."""
    vec = _plain(lift(value))
    return Numbers(vec.context, vec.data.cast(pl.String).str.len_chars().cast(pl.Int64), whole=True)


def occurrences(piece: object, value: object) -> Numbers:
    """How often a piece occurs in a text, overlaps counted; an empty piece occurs nowhere."""
    at, _, _, found = _searched(piece, value)
    return numbers(at, [None if one is None else one[0] for one in found], whole=True)


def offset(piece: object, value: object) -> Numbers:
    """Where the piece first begins in the text, in code points from 0; undefined where it does not occur."""
    at, column, rows, found = _searched(piece, value)
    places = pl.Series([None if one is None or not one[0] else one[1] for one in found], dtype=pl.Int64)
    return Numbers(at, column.code_points(rows, places), whole=True)


def part(value: object, start: object, end: object) -> Plain:
    """The code points of a text from `start` up to `end`; undefined outside of 0 <= start <= end <= length."""
    at, made = mapped(lambda text, a, b: text[a:b] if 0 <= a <= b <= len(text) else None, value, start, end)
    return Plain(at.context, pl.Series(made, dtype=pl.String), "text")


def size(value: object) -> Numbers:
    """How many items a list or set has."""
    at, made = mapped(len, value)
    return numbers(at.context, made, whole=True)


def nearest(value: object, *, digits: object) -> Numbers:
    """The number rounded to so many decimals, half to even."""
    at, made = mapped(_rounded, value, digits)
    return numbers(at.context, made)


def root(value: object) -> Numbers:
    """The square root, a real; undefined below zero."""
    at, made = mapped(lambda v: square_root(v, "square root"), value)
    return numbers(at.context, made)


def wilson(hits: object, n: object, *, level: object) -> Structs:
    """Wilson's score interval for a share: `low` and `high`, reals within 0 and 1; undefined for n = 0.

    The normal quantile is rounded to 15 decimals, so that everybody computes the same digits.
    """
    at, made = mapped(_wilson, hits, n, level)
    low = numbers(at.context, [None if pair is None else pair[0] for pair in made])
    high = numbers(at.context, [None if pair is None else pair[1] for pair in made])
    return Structs(at.context, {"low": low, "high": high})


def _better(one: Vec, two: Vec, first: Bools) -> Vec:
    left, right = aligned(one, two)
    return merge([left, right], (~first.data).cast(pl.Int32))


def _plain(vec: Vec) -> Plain:
    if isinstance(vec, Plain):
        return vec
    if vec.defined().any():
        raise EngineError(f"{type(vec).__name__} where a text or a time is expected")
    return Plain(vec.context, pl.Series([None] * vec.context.size, dtype=pl.String), "text")


def _searched(piece: object, value: object) -> tuple[Context, Texts, pl.Series, list[tuple[int, int] | None]]:
    """The column of the texts, the row of each, and of each pair how often the piece occurs and at which byte first."""
    pieces, texts = (_plain(vec) for vec in aligned(lift(piece), lift(value)))
    column, rows = texts.origin()
    return pieces.context, column, rows, column.search(rows.to_list(), pieces.utf8())


def _rounded(value: Number, digits: int) -> Fraction:
    within("round", abs(digits), MOST_PLACES, "decimals")
    return rounded(value, digits)


def _wilson(hits: Exact, n: Exact, level: Exact) -> tuple[Real, Real] | None:
    if n <= 0 or not 0 <= hits <= n or not 0 < level < 1:
        return None
    level_within("wilson", level)
    z = normal_quantile(Fraction(level))
    share, square = Fraction(hits) / n, z * z
    root = WORKING.sqrt(decimal(share * (1 - share) / n + square / (4 * n * n)))
    middle = decimal((share + square / (2 * n)) / (1 + square / n))
    half = WORKING.multiply(decimal(z / (1 + square / n)), root)
    why = "normal quantile and square root"
    low, high = WORKING.subtract(middle, half), WORKING.add(middle, half)
    return Real(max(Decimal(0), low), why), Real(min(Decimal(1), high), why)
