"""Exact numbers: a quotient that remembers how it was counted, and reals with fifty digits."""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from functools import cache
from math import gcd
from statistics import NormalDist
from typing import Any

DIGITS = 50
SHOWN = 12
PROMISED = Context(prec=DIGITS, rounding=ROUND_HALF_EVEN)
WORKING = Context(prec=DIGITS + 20, rounding=ROUND_HALF_EVEN)


class Ratio(Fraction):
    """A quotient of two whole numbers that keeps them for display: 87/96 stays 87/96. Arithmetic on it reduces."""

    __slots__ = ("den", "num")
    num: int
    den: int

    def __new__(cls, num: int, den: int) -> Ratio:
        """`num / den`; ZeroDivisionError where `den` is 0."""
        if den <= 0:
            return cls(-num, -den) if den else super().__new__(cls, num, den)
        made, common = object.__new__(cls), gcd(num, den)  # a third of what Fraction's own constructor takes
        made._numerator, made._denominator = num // common, den // common  # type: ignore[attr-defined]
        made.num, made.den = num, den
        return made


class Real:
    """An irrational result: a decimal correct to fifty digits, and why it is not exact.

    Arithmetic and comparison with exact numbers and reals go through decimals of seventy digits.
    """

    __slots__ = ("value", "why")

    def __init__(self, value: Decimal, why: str) -> None:
        self.value = PROMISED.plus(value)
        self.why = why

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (Real, int, Fraction)) and self.value == decimal(other)

    def __hash__(self) -> int:
        return hash(self.value)

    def __lt__(self, other: Any) -> bool:
        return self.value < decimal(other)

    def __le__(self, other: Any) -> bool:
        return self.value <= decimal(other)

    def __gt__(self, other: Any) -> bool:
        return self.value > decimal(other)

    def __ge__(self, other: Any) -> bool:
        return self.value >= decimal(other)

    def __add__(self, other: Any) -> Real:
        return self._made(WORKING.add, self, other)

    def __sub__(self, other: Any) -> Real:
        return self._made(WORKING.subtract, self, other)

    def __mul__(self, other: Any) -> Real:
        return self._made(WORKING.multiply, self, other)

    def __truediv__(self, other: Any) -> Real:
        return self._made(WORKING.divide, self, other)

    def __rsub__(self, other: Any) -> Real:
        return self._made(WORKING.subtract, other, self)

    def __rtruediv__(self, other: Any) -> Real:
        return self._made(WORKING.divide, other, self)

    __radd__ = __add__
    __rmul__ = __mul__

    def __neg__(self) -> Real:
        return Real(-self.value, self.why)

    def __abs__(self) -> Real:
        return Real(abs(self.value), self.why)

    def __repr__(self) -> str:
        return f"Real({self.shown()})"

    def _made(self, operation: Callable[[Decimal, Decimal], Decimal], left: Any, right: Any) -> Real:
        return Real(operation(decimal(left), decimal(right)), self.why)

    def shown(self) -> str:
        """The value with twelve decimals, half to even; zero without a sign."""
        shown = self.value.quantize(Decimal(1).scaleb(-SHOWN), ROUND_HALF_EVEN, PROMISED)
        return f"{abs(shown) if shown == 0 else shown:f}"


Exact = int | Fraction
Number = int | Fraction | Real


def decimal(value: Number) -> Decimal:
    """A number as a decimal of seventy digits."""
    if isinstance(value, Real):
        return value.value
    return WORKING.divide(Decimal(value.numerator), Decimal(value.denominator))


def divided(top: Number, bottom: Number) -> Any:
    """The quotient; None for a division by zero."""
    if not isinstance(bottom, Real) and not bottom:
        return None
    return top / bottom if isinstance(top, Real) or isinstance(bottom, Real) else Fraction(top) / bottom


def square_root(value: Number, why: str) -> Real | None:
    """The root to fifty digits; None below zero."""
    return None if value < 0 else Real(WORKING.sqrt(decimal(value)), why)


def rounded(value: Number, digits: int) -> Fraction:
    """The number rounded to so many decimals, half to even."""
    exact = Fraction(value.value) if isinstance(value, Real) else Fraction(value)
    return Fraction(round(exact * Fraction(10) ** digits)) / Fraction(10) ** digits


@cache
def normal_quantile(level: Fraction) -> Fraction:
    """The two-sided standard normal quantile of a level, rounded to 15 decimals and then taken as exact.

    Newton's method on Phi(z) = 1/2 + phi(z) (z + z^3/3 + z^5/15 + ...).
    """
    share = WORKING.divide(decimal(1 + level), Decimal(2))
    root = WORKING.sqrt(WORKING.multiply(Decimal(2), _pi()))
    guess = Decimal(NormalDist().inv_cdf(float((1 + level) / 2)))
    for _ in range(4):
        square = WORKING.multiply(guess, guess)
        density = WORKING.divide(WORKING.exp(WORKING.divide(-square, Decimal(2))), root)
        below = WORKING.add(Decimal("0.5"), WORKING.multiply(density, _odd_series(guess, square)))
        guess = WORKING.subtract(guess, WORKING.divide(WORKING.subtract(below, share), density))
    return Fraction(guess.quantize(Decimal("1e-15"), ROUND_HALF_EVEN, WORKING))


def _odd_series(start: Decimal, square: Decimal) -> Decimal:
    term = total = start
    odd = 3
    while abs(term) > Decimal("1e-68"):
        term = WORKING.divide(WORKING.multiply(term, square), Decimal(odd))
        total = WORKING.add(total, term)
        odd += 2
    return total


def _pi() -> Decimal:
    """Machin: pi / 4 = 4 arctan(1/5) - arctan(1/239)."""
    scale = 10 ** (DIGITS + 25)

    def arctan(inverse: int) -> int:
        """The arcus tangent of 1/inverse, times `scale`; each term of its series is cut to a whole number."""
        term = total = scale // inverse
        odd, sign = 3, -1
        while term:
            term //= inverse * inverse
            total += sign * (term // odd)
            odd, sign = odd + 2, -sign
        return int(total)

    return WORKING.divide(Decimal(4 * (4 * arctan(5) - arctan(239))), Decimal(scale))
