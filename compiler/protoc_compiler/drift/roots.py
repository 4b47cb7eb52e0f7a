"""Polynomials in one variable with exact coefficients, and the stretches of numbers on which none changes its sign.

Roots are told apart by Sturm's theorem and never rounded: one that is no fraction is held as the two fractions that it
lies between.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

Poly: TypeAlias = "tuple[Fraction, ...]"  # the coefficient of each power, the lowest first; of nothing it is ()
Ends: TypeAlias = "tuple[Fraction, Fraction]"  # a root lies between these, alone
ZERO, ONE = Fraction(0), Fraction(1)
X: Poly = (ZERO, ONE)
DEEPEST = 12  # the most roots that are told apart


class TooHigh(Exception):
    """More roots than are told apart."""


def trimmed(values: Iterable[Fraction]) -> Poly:
    """Without powers that do not occur."""
    made = list(values)
    while made and not made[-1]:
        made.pop()
    return tuple(made)


def added(one: Poly, other: Poly, factor: Fraction = ONE) -> Poly:
    """One polynomial and a multiple of another."""
    size = max(len(one), len(other))
    left, right = (poly + (ZERO,) * (size - len(poly)) for poly in (one, other))
    return trimmed([a + factor * b for a, b in zip(left, right, strict=True)])


def product(one: Poly, other: Poly) -> Poly:
    """Two polynomials multiplied."""
    made = [ZERO] * (len(one) + len(other))
    for at, a in enumerate(one):
        for place, b in enumerate(other):
            made[at + place] += a * b
    return trimmed(made)


def _divided(one: Poly, by: Poly) -> tuple[Poly, Poly]:
    rest, whole = one, [ZERO] * max(0, len(one) - len(by) + 1)
    while len(rest) >= len(by):
        at, factor = len(rest) - len(by), rest[-1] / by[-1]
        whole[at] = factor
        rest = added(rest, (ZERO,) * at + by, -factor)
    return trimmed(whole), rest


def _common(one: Poly, other: Poly) -> Poly:
    while other:
        one, other = other, _divided(one, other)[1]
    return tuple(value / one[-1] for value in one)


def _slope(poly: Poly) -> Poly:
    return trimmed([at * value for at, value in enumerate(poly)][1:])


def simple(poly: Poly) -> Poly:
    """A polynomial with the same roots, each of them once."""
    return _divided(poly, _common(poly, _slope(poly)))[0] if len(poly) > 2 else poly


def sign(poly: Poly, at: Fraction) -> int:
    """The sign of its value at a number."""
    value = ZERO
    for factor in reversed(poly):
        value = value * at + factor
    return (value > 0) - (value < 0)


class Spot:
    """A root, or a stretch between two roots, with the sign of each polynomial on it."""

    def __init__(self, low: Fraction, high: Fraction) -> None:
        """The numbers that a root lies between, alone; of a stretch twice a number on it."""
        self._low, self._high = low, high

    def sign(self, poly: Poly) -> int:
        """The sign of a polynomial whose roots are among those that were told apart."""
        if self._low == self._high or len(poly) < 2:
            return sign(poly, self._low)
        own = simple(poly)
        return 0 if sign(own, self._low) * sign(own, self._high) < 0 else sign(poly, self._low)


def spots(polys: Iterable[Poly], whole: bool) -> Iterator[Spot]:
    """Every root of some polynomials and every stretch between; of `whole` numbers those that have some. Raises
    `TooHigh`."""
    together: Poly = (ONE,)
    for poly in polys:
        own = simple(poly)
        together = product(together, _divided(own, _common(together, own))[0])
    if len(together) - 1 > DEEPEST:
        raise TooHigh
    roots = sorted(_roots(together))
    known = [_whole(together, root) for root in roots] if whole else [(root, None) for root in roots]
    least: int | None = None  # the least whole number behind the last root
    point = known[0][0][0] if known else ZERO
    for (low, high), number in known:
        if not whole or least is None or least <= (floor(low) if number is None else number - 1):
            yield Spot(point, point)
        if not whole or number is not None:
            yield Spot(low, high)
        least, point = (ceil(high) if number is None else number + 1), high
    yield Spot(point, point)


def _roots(poly: Poly) -> Iterator[Ends]:
    """For each root two numbers that it alone lies between, and that are none."""
    if len(poly) < 2:
        return
    size: Fraction = 1 + max(abs(value / poly[-1]) for value in poly)
    waiting = [(-size, size)]
    while waiting:
        low, high = waiting.pop()
        number = _number(poly, low, high)
        if number > 1:
            middle = _split(poly, low, high)
            waiting += [(low, middle), (middle, high)]
        elif number:
            yield low, high


def _split(poly: Poly, low: Fraction, high: Fraction) -> Fraction:
    """A number between two others that is no root: of one more than there are roots some is none."""
    parts = 2 * len(poly)
    points: list[Fraction] = [low + (high - low) * part / parts for part in (len(poly), *range(1, parts))]
    return next(point for point in points if sign(poly, point))


def _whole(poly: Poly, root: Ends) -> tuple[Ends, int | None]:
    """A root between closer numbers, and which whole number it is: none lies between them if it is not one."""
    low, high = root
    while (least := floor(low) + 1) < high:
        if least + 1 >= high and sign(poly, Fraction(least)) == 0:
            return (low, high), least
        middle = _split(poly, low, high)
        low, high = (low, middle) if sign(poly, low) * sign(poly, middle) < 0 else (middle, high)
    return (low, high), None


def _number(poly: Poly, low: Fraction, high: Fraction) -> int:
    """How many roots lie between two numbers that are none, of a polynomial that has none twice."""
    chain = [poly, _slope(poly)]
    while chain[-1]:
        chain.append(added((), _divided(chain[-2], chain[-1])[1], -ONE))
    return _changes(chain, low) - _changes(chain, high)


def _changes(chain: list[Poly], at: Fraction) -> int:
    signs = [one for poly in chain if (one := sign(poly, at))]
    return sum(1 for a, b in pairwise(signs) if a != b)
