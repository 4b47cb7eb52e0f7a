"""Vectors of exact numbers.

The fast form is a series of Int64 numerators over one denominator, with a proved bound on their size: before an
operation whose result might not fit, the bound is measured anew, and if that does not help the slow form is taken,
a list of Python's whole numbers and fractions. Both give the same values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import lcm
from typing import Any

import polars as pl

from protoc_runtime.engine.context import ONE, Context, common
from protoc_runtime.engine.exact import Number, Ratio, Real, divided
from protoc_runtime.engine.faults import EngineError
from protoc_runtime.engine.series import defined, taken
from protoc_runtime.engine.vec import Nothing, Vec, aligned, gather, lift, lifts, nulls, select, where

LIMIT = 2**62


class Numbers(Vec):
    """`data`: a series of numerators over `den`, at most `bound` in size, or a list of exact values.

    `whole`: every value is a whole number and a quotient of two such vectors is kept as counted; `raw`: the values
    are such quotients, shown over `den` without reducing.
    """

    def __init__(
        self,
        context: Context,
        data: pl.Series | list[Number | None],
        den: int = 1,
        bound: int | None = None,
        *,
        whole: bool = False,
        raw: bool = False,
    ) -> None:
        self.context = context
        self.data = data
        self.den = den
        self.whole = whole
        self.raw = raw
        self._bound = bound

    @property
    def series(self) -> pl.Series:
        """The numerators of the fast form."""
        if isinstance(self.data, list):
            raise EngineError("a slow vector has no numerators")
        return self.data

    @property
    def fast(self) -> bool:
        """Whether this is the fast form."""
        return not isinstance(self.data, list)

    @property
    def bound(self) -> int:
        """No numerator is larger than this, either way; at least 1."""
        if self._bound is None:
            self._bound = _measured(self.series)
        return self._bound

    def tight(self) -> Numbers:
        """The same with a measured bound."""
        return Numbers(self.context, self.data, self.den, _measured(self.series), whole=self.whole, raw=self.raw)

    def take(self, index: pl.Series, context: Context) -> Numbers:
        """The numbers at these positions (undefined at a null), with scale, bound and form as they are."""
        data = gather(self.data, index) if isinstance(self.data, list) else taken(self.data, index)
        return Numbers(context, data, self.den, self._bound, whole=self.whole, raw=self.raw)

    def values(self) -> list[Any]:
        """int where all are whole, else Fraction; Ratio where counts are kept as counted; None where undefined."""
        if isinstance(self.data, list):
            return self.data
        stored = self.data.to_list()
        if self.raw:
            return [None if n is None else Ratio(n, self.den) for n in stored]
        if self.den == 1:
            return stored
        return [None if n is None else Fraction(n, self.den) for n in stored]

    def defined(self) -> pl.Series:
        """A Boolean series without nulls: where there is a number."""
        if isinstance(self.data, list):
            return pl.Series([value is not None for value in self.data], dtype=pl.Boolean)
        return defined(self.data)

    def masked(self, keep: pl.Series) -> Numbers:
        """The same numbers, undefined where `keep` is not true."""
        if isinstance(self.data, list):
            kept = [value if flag else None for value, flag in zip(self.data, keep, strict=True)]
            return Numbers(self.context, kept, whole=self.whole)
        return self._with(where(keep, self.data), self._bound)

    def keys(self, other: Vec) -> tuple[pl.Series, pl.Series]:
        """Both as series that are equal where the numbers are: numerators over one scale, else as written."""
        if not isinstance(other, Numbers):
            one, two = other.keys(self)
            return two, one
        pair = same_scale([self, other])
        if pair is not None:
            return pair[0].series, pair[1].series
        return _written(self), _written(other)

    def ordered(self, other: Vec) -> tuple[pl.Series, pl.Series]:
        """Both as series that compare as the numbers do: numerators over one scale, else their ranks."""
        other = as_numbers(other)
        pair = same_scale([self, other])
        if pair is not None:
            return pair[0].series, pair[1].series
        return _places(self.values(), other.values())

    def merged(self, others: Sequence[Vec], pick: pl.Series) -> Numbers:
        """Row by row the picked numbers, over one scale if they fit, else as Python values; whole if all parts are."""
        parts = [as_numbers(vec) for vec in (self, *others)]
        whole = all(part.whole for part in parts)
        raw = any(part.raw for part in parts)
        scaled = None if raw else same_scale(parts)
        if scaled is not None:
            bound = max(part.bound for part in scaled)
            return Numbers(
                self.context, select([part.series for part in scaled], pick), scaled[0].den, bound, whole=whole
            )
        lists = [part.values() for part in parts]
        made = [None if at is None else lists[at][row] for row, at in enumerate(pick)]
        return Numbers(self.context, made, whole=whole)

    def scaled(self, factor: int) -> Numbers:
        """The same values over a `factor` times larger denominator (it is proved to fit)."""
        if factor == 1:
            return self
        return Numbers(self.context, self.series * factor, self.den * factor, self.bound * factor, whole=self.whole)

    def _with(self, data: pl.Series, bound: int | None) -> Numbers:
        return Numbers(self.context, data, self.den, bound, whole=self.whole, raw=self.raw)

    def __neg__(self) -> Numbers:
        if isinstance(self.data, list):
            return Numbers(self.context, [None if v is None else -v for v in self.data], whole=self.whole)
        return Numbers(self.context, -self.data, self.den, self._bound, whole=self.whole)

    def __add__(self, other: object) -> Numbers:
        return _sum(self, as_numbers(lift(other)), 1)

    def __radd__(self, other: object) -> Numbers:
        return _sum(as_numbers(lift(other)), self, 1)

    def __sub__(self, other: object) -> Numbers:
        return _sum(self, as_numbers(lift(other)), -1)

    def __rsub__(self, other: object) -> Numbers:
        return _sum(as_numbers(lift(other)), self, -1)

    def __mul__(self, other: object) -> Numbers:
        return _product(self, as_numbers(lift(other)))

    def __rmul__(self, other: object) -> Numbers:
        return _product(as_numbers(lift(other)), self)

    def __truediv__(self, other: object) -> Numbers:
        return _quotient(self, as_numbers(lift(other)))

    def __rtruediv__(self, other: object) -> Numbers:
        return _quotient(as_numbers(lift(other)), self)

    def __pow__(self, exponent: int) -> Numbers:
        made = as_numbers(lift(1)).to(self.context)
        for _ in range(exponent):
            made = made * self
        if exponent:
            return made
        ones = made.masked(self.defined())
        return Numbers(ones.context, ones.data, whole=self.whole)


def as_numbers(vec: Vec) -> Numbers:
    """A vector of numbers; one that is undefined throughout counts as such."""
    if isinstance(vec, Numbers):
        return vec
    if isinstance(vec, Nothing):
        return Numbers(vec.context, nulls(vec.context.size, pl.Int64()), whole=True)
    raise EngineError(f"{type(vec).__name__} where numbers are expected")


def reduced(vec: Numbers) -> Numbers:
    """The same values, no longer shown as they were counted."""
    if isinstance(vec.data, list):
        values = [Fraction(v) if isinstance(v, Ratio) else v for v in vec.data]
        return Numbers(vec.context, values, whole=vec.whole)
    return Numbers(vec.context, vec.data, vec.den, vec.bound, whole=vec.whole)


def same_scale(parts: Sequence[Numbers]) -> list[Numbers] | None:
    """All of them over their common denominator, or None where that would not fit."""
    if not all(part.fast for part in parts):
        return None
    den = lcm(*(part.den for part in parts))
    made = []
    for part in parts:
        factor = den // part.den
        if part.bound * factor > LIMIT:
            part = part.tight()
            if part.bound * factor > LIMIT:
                return None
        made.append(part.scaled(factor))
    return made


def numbers(context: Context, values: Sequence[Number | None], *, whole: bool = False) -> Numbers:
    """A vector of exact values, in the fast form where they are whole and fit."""
    if whole and all(value is None or -LIMIT < value < LIMIT for value in values):
        return Numbers(context, pl.Series(values, dtype=pl.Int64), whole=True)
    return Numbers(context, list(values), whole=whole)


def _sum(left: Numbers, right: Numbers, sign: int) -> Numbers:
    context = common(left.context, right.context)
    whole = left.whole and right.whole
    pair = same_scale([left, right])
    if pair is not None:
        bound = pair[0].bound + pair[1].bound
        if bound <= LIMIT:
            one, two = _lanes(pair[0], pair[1], context)
            return Numbers(context, one + two if sign > 0 else one - two, pair[0].den, bound, whole=whole)
    return _slowly(left, right, whole, (lambda a, b: a + b) if sign > 0 else (lambda a, b: a - b))


def _product(left: Numbers, right: Numbers) -> Numbers:
    context = common(left.context, right.context)
    whole = left.whole and right.whole
    if left.fast and right.fast:
        if left.bound * right.bound > LIMIT:
            left, right = left.tight(), right.tight()
        bound = left.bound * right.bound
        if bound <= LIMIT:
            one, two = _lanes(left, right, context)
            return Numbers(context, one * two, left.den * right.den, bound, whole=whole)
    return _slowly(left, right, whole, lambda a, b: a * b)


def _quotient(left: Numbers, right: Numbers) -> Numbers:
    context = common(left.context, right.context)
    raw = left.whole and right.whole
    if left.fast and right.fast and right.context.size == 1:
        divisor = right.values()[0]
        if divisor is None or divisor == 0:
            return Numbers(context, nulls(context.size, pl.Int64()))
        factor = divisor.denominator if divisor > 0 else -divisor.denominator
        if left.bound * divisor.denominator <= LIMIT:
            spread = left.to(context)
            bound, den = left.bound * divisor.denominator, left.den * abs(divisor.numerator)
            return Numbers(context, spread.series * factor, den, bound, raw=raw)
    return _slowly(left, right, False, _counted if raw else divided)


def _counted(top: int, bottom: int) -> Ratio | None:
    return Ratio(top, bottom) if bottom else None


def _slowly(left: Numbers, right: Numbers, whole: bool, make: Callable[[Any, Any], Number | None]) -> Numbers:
    one, two = aligned(left, right)
    pairs = zip(one.values(), two.values(), strict=True)
    made = [None if a is None or b is None else make(a, b) for a, b in pairs]
    return Numbers(one.context, made, whole=whole)


def _lanes(left: Numbers, right: Numbers, context: Context) -> tuple[Any, Any]:
    """Both as series in a context; a single value of an outer context stays a Python number."""
    return _lane(left, context), _lane(right, context) if left.context is context else right.to(context).series


def _lane(vec: Numbers, context: Context) -> Any:
    if vec.context.size == 1 and context.size != 1 and vec.series[0] is not None:
        return vec.series[0]
    return vec.to(context).series


def _measured(series: pl.Series) -> int:
    low, high = series.min(), series.max()
    if low is None or high is None:
        return 1
    return max(-int(low), int(high), 1)  # type: ignore[arg-type]


def _written(vec: Numbers) -> pl.Series:
    """Reduced `num/den` texts, in hexadecimal digits, equal exactly where the values are."""
    return pl.Series([None if v is None else _text(v) for v in vec.values()], dtype=pl.String)


def _text(value: Number) -> str:
    return repr(value) if isinstance(value, Real) else f"{value.numerator:x}/{value.denominator:x}"


def _places(left: list[Any], right: list[Any]) -> tuple[pl.Series, pl.Series]:
    """Values of both sides as their places among all of them."""
    place = {value: at for at, value in enumerate(sorted({v for v in (*left, *right) if v is not None}))}
    one, two = ([None if v is None else place[v] for v in side] for side in (left, right))
    return pl.Series(one, dtype=pl.Int64), pl.Series(two, dtype=pl.Int64)


@lifts(int)
def _int(value: int) -> Numbers:
    return numbers(ONE, [value], whole=True)


@lifts(Fraction)
def _fraction(value: Fraction) -> Numbers:
    if abs(value.numerator) < LIMIT:
        return Numbers(ONE, pl.Series([value.numerator], dtype=pl.Int64), value.denominator)
    return Numbers(ONE, [value])
