"""Exact numbers: a quotient that remembers how it was counted, and reals with fifty digits."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Context, Decimal, localcontext
from fractions import Fraction

DIGITS = 50
SHOWN = 12
_CONTEXT = Context(prec=DIGITS, rounding=ROUND_HALF_EVEN)


class Ratio(Fraction):
    """A quotient of two whole numbers that keeps them for display: 87/96 stays 87/96. Arithmetic on it reduces."""

    __slots__ = ("den", "num")
    num: int
    den: int

    def __new__(cls, num: int, den: int) -> Ratio:
        """`num / den`; ZeroDivisionError where `den` is 0."""
        made = super().__new__(cls, num, den)
        sign = -1 if den < 0 else 1
        made.num, made.den = sign * num, sign * den
        return made

    def __neg__(self) -> Ratio:
        return Ratio(-self.num, self.den)


class Real:
    """An irrational result: a decimal correct to fifty digits, and why it is not exact."""

    __slots__ = ("value", "why")

    def __init__(self, value: Decimal, why: str) -> None:
        self.value = value
        self.why = why

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Real) and self.value == other.value

    def __hash__(self) -> int:
        return hash(self.value)

    def __repr__(self) -> str:
        return f"Real({self.shown()})"

    def shown(self) -> str:
        """The value with twelve decimals."""
        with localcontext(_CONTEXT):
            text = str(self.value.quantize(Decimal(1).scaleb(-SHOWN)))
        return text[1:] if text.startswith("-") and not text.strip("-0.") else text


Exact = int | Fraction


def decimal(value: Exact) -> Decimal:
    """An exact number as a decimal of fifty digits."""
    return _CONTEXT.divide(Decimal(value.numerator), Decimal(value.denominator))


def square_root(value: Exact, why: str) -> Real | None:
    """The root of an exact number to fifty digits; None below zero."""
    if value < 0:
        return None
    with localcontext(Context(prec=DIGITS + 10, rounding=ROUND_HALF_EVEN)):
        root = (Decimal(value.numerator) / Decimal(value.denominator)).sqrt()
    return Real(_CONTEXT.plus(root), why)


def rounded(value: Exact | Real, digits: int) -> Fraction:
    """The number rounded to so many decimals, half to even."""
    exact = Fraction(value.value) if isinstance(value, Real) else Fraction(value)
    return Fraction(round(exact * Fraction(10) ** digits)) / Fraction(10) ** digits
