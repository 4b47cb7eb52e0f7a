"""Exact tests and intervals for counts: binomial, Clopper and Pearson, Newcombe, Fisher."""

from __future__ import annotations

from decimal import Context, Decimal
from fractions import Fraction
from math import comb
from typing import Any

from protoc_runtime.engine.exact import WORKING, Exact, Real, decimal, normal_quantile
from protoc_runtime.engine.library.caps import MOST_BITS, MOST_TRIALS, level_within, within
from protoc_runtime.engine.library.tails import Tails, tails
from protoc_runtime.engine.library.values import mapped
from protoc_runtime.engine.numbers import Numbers, numbers
from protoc_runtime.engine.objects import Structs
from protoc_runtime.engine.vec import Vec

_TAIL = "root of a binomial tail"
_ROOTS = "normal quantile and square roots"
_SMALL = Decimal("1e-60")
_NOTHING = Decimal("1e-78")
_WIDE = Context(prec=90)


def binomial_test(hits: object, n: object, p0: object) -> Structs:
    """The exact binomial test: `p` (two-sided), `at_least` and `at_most`.

    `p` is the probability of all counts that are at most as probable as `hits`; `at_least` is P(X >= hits), `at_most`
    P(X <= hits). Undefined for n = 0, hits outside of 0..n, p0 outside of 0..1.
    """
    return _fields(*mapped(_binomial, hits, n, p0), ("p", "at_least", "at_most"))


def fisher(a: object, b: object, c: object, d: object) -> Structs:
    """Fisher's exact test of the table [[a, b], [c, d]]: `p` (two-sided), `at_least` and `at_most`.

    `p` is the probability, under the same margins, of all tables at most as probable as this one; the others are
    those of a first cell at least (at most) as large. Undefined for a negative cell or a table of zeros.
    """
    return _fields(*mapped(_fisher, a, b, c, d), ("p", "at_least", "at_most"))


def clopper_pearson(hits: object, n: object, *, level: object) -> Structs:
    """Clopper and Pearson's exact interval for a share: `low` and `high`, reals; undefined for n = 0."""
    return _fields(*mapped(_clopper_pearson, hits, n, level), ("low", "high"))


def newcombe(hits1: object, n1: object, hits2: object, n2: object, *, level: object) -> Structs:
    """Newcombe's hybrid score interval for hits1 / n1 - hits2 / n2: `low` and `high`, reals."""
    return _fields(*mapped(_newcombe, hits1, n1, hits2, n2, level), ("low", "high"))


def newcombe_side(
    hits1: object, n1: object, hits2: object, n2: object, limit: object, *, level: object, bound: object
) -> Numbers:
    """-1, 0 or 1 as a bound of Newcombe's interval lies below, at or above a limit: exact, without a root."""
    at, made = mapped(_side, hits1, n1, hits2, n2, limit, level, bound)
    return numbers(at.context, made, whole=True)


def _fields(at: Vec, made: list[Any], names: tuple[str, ...]) -> Structs:
    columns = {name: [None if one is None else one[k] for one in made] for k, name in enumerate(names)}
    return Structs(at.context, {name: numbers(at.context, column) for name, column in columns.items()})


# --- tails --------------------------------------------------------------------------------------------------------


def _binomial(hits: int, n: int, p0: Exact) -> Tails | None:
    if not 0 <= hits <= n or n < 1 or not 0 <= p0 <= 1:
        return None
    yes, no = p0.numerator, p0.denominator - p0.numerator
    if not yes or not no:
        sure = n if yes else 0
        return Fraction(hits == sure), Fraction(hits <= sure), Fraction(hits >= sure)
    bits = n * (p0.denominator - 1).bit_length()
    within("binomial_test", bits, MOST_BITS, "bits (trials times those of the share's denominator)")
    here = comb(n, hits) * yes**hits * no ** (n - hits)
    return tails(n, hits, here, (yes + no) ** n, lambda k: ((n - k) * yes, (k + 1) * no))


def _fisher(a: int, b: int, c: int, d: int) -> Tails | None:
    if min(a, b, c, d) < 0 or not a + b + c + d:
        return None
    within("fisher", a + b + c + d, MOST_BITS, "observations")
    least, most = max(0, a - d), min(a + b, a + c)

    def ratio(k: int) -> tuple[int, int]:
        """By what the weight of table k + 1 differs from that of table k: numerator and denominator."""
        cell = least + k
        return (a + b - cell) * (a + c - cell), (cell + 1) * (d - a + cell + 1)

    here = comb(a + b, a) * comb(c + d, c)
    return tails(most - least, a - least, here, comb(a + b + c + d, a + c), ratio)


# --- intervals ----------------------------------------------------------------------------------------------------


def _clopper_pearson(hits: int, n: int, level: Exact) -> tuple[Real | int, Real | int] | None:
    if not 0 <= hits <= n or n < 1 or not 0 < level < 1:
        return None
    within("clopper_pearson", n, MOST_TRIALS, "trials")
    tail, ways = decimal(Fraction(1 - level) / 2), _ways(n, min(hits, n - hits))
    low = Real(_tail_root(hits, n, ways, tail), _TAIL) if hits else 0
    high = Real(WORKING.subtract(Decimal(1), _tail_root(n - hits, n, ways, tail)), _TAIL) if hits < n else 1
    return _as_real(low), _as_real(high)


def _as_real(value: Real | int) -> Real:
    return value if isinstance(value, Real) else Real(Decimal(value), _TAIL)


def _ways(n: int, chosen: int) -> Decimal:
    """C(n, chosen) to 90 digits, factor by factor: for large n the whole number takes far longer."""
    made = Decimal(1)
    for k in range(chosen):
        made = _WIDE.divide(_WIDE.multiply(made, Decimal(n - k)), Decimal(k + 1))
    return made


def _tail_root(hits: int, n: int, ways: Decimal, wanted: Decimal) -> Decimal:
    """The p with P(X >= hits) = `wanted`: Newton's steps, halved where one leaves the bracket."""
    low, high = Decimal(0), Decimal(1)
    p = decimal(Fraction(hits, n + 1))
    while True:
        first, tail = _tail(hits, n, ways, p)
        low, high = (p, high) if tail < wanted else (low, p)
        slope = WORKING.divide(WORKING.multiply(Decimal(hits), first), p)
        step = WORKING.divide(WORKING.subtract(wanted, tail), slope) if slope else high
        found = WORKING.add(p, step)
        if abs(step) <= WORKING.multiply(_SMALL, p):
            return found
        p = found if low < found < high else WORKING.divide(WORKING.add(low, high), Decimal(2))


def _tail(hits: int, n: int, ways: Decimal, p: Decimal) -> tuple[Decimal, Decimal]:
    """P(X = hits) and P(X >= hits), from there upwards until a term no longer counts."""
    other = WORKING.subtract(Decimal(1), p)
    odds = WORKING.divide(p, other)
    powers = WORKING.multiply(WORKING.power(p, hits), WORKING.power(other, n - hits))
    first = term = total = WORKING.multiply(ways, powers)
    for k in range(hits, n):
        grown = WORKING.divide(WORKING.multiply(WORKING.multiply(term, odds), Decimal(n - k)), Decimal(k + 1))
        total = WORKING.add(total, grown)
        if grown < term and grown < WORKING.multiply(_NOTHING, total):
            break
        term = grown
    return first, total


def _score(hits: int, n: int, z: Fraction) -> tuple[Fraction, Fraction, Fraction]:
    """The share, the centre of Wilson's interval, and the square of half its width."""
    share, square = Fraction(hits, n), z * z
    scale = 1 + square / n
    return (
        share,
        (share + square / (2 * n)) / scale,
        square * (share * (1 - share) / n + square / (4 * n * n)) / scale**2,
    )


def _possible(hits1: int, n1: int, hits2: int, n2: int, level: Exact) -> bool:
    return n1 >= 1 and n2 >= 1 and 0 <= hits1 <= n1 and 0 <= hits2 <= n2 and 0 < level < 1


def _newcombe(hits1: int, n1: int, hits2: int, n2: int, level: Exact) -> tuple[Real, Real] | None:
    if not _possible(hits1, n1, hits2, n2, level):
        return None
    level_within("newcombe", level)
    z = normal_quantile(Fraction(level))
    one, two = _score(hits1, n1, z), _score(hits2, n2, z)
    apart = decimal(one[0] - two[0])
    low = WORKING.subtract(apart, WORKING.sqrt(_squares(one, two)))
    high = WORKING.add(apart, WORKING.sqrt(_squares(two, one)))
    return Real(low, _ROOTS), Real(high, _ROOTS)


def _squares(down: tuple[Fraction, ...], up: tuple[Fraction, ...]) -> Decimal:
    """(p - low of the first)^2 + (high of the second - p)^2."""
    below = WORKING.add(decimal(down[0] - down[1]), WORKING.sqrt(decimal(down[2])))
    above = WORKING.add(decimal(up[1] - up[0]), WORKING.sqrt(decimal(up[2])))
    return WORKING.add(WORKING.multiply(below, below), WORKING.multiply(above, above))


def _side(hits1: int, n1: int, hits2: int, n2: int, limit: Exact, level: Exact, bound: str) -> int | None:
    """With t = difference - limit: `low` is above where t > 0 and t^2 > S, `high` where t > 0 or S > t^2; S is a sum
    of a rational and two roots."""
    if not _possible(hits1, n1, hits2, n2, level):
        return None
    level_within("newcombe", level)
    z = normal_quantile(Fraction(level))
    one, two = _score(hits1, n1, z), _score(hits2, n2, z)
    t = one[0] - two[0] - limit
    if (bound == "low" and t < 0) or (bound == "high" and t > 0):
        return -1 if bound == "low" else 1
    down, up = (one, two) if bound == "low" else (two, one)
    below, above = down[0] - down[1], up[1] - up[0]
    rest = below**2 + down[2] + above**2 + up[2] - t**2
    sign = _sign(rest, 2 * below, down[2], 2 * above, up[2])
    return -sign if bound == "low" else sign


def _sign(x: Fraction, y: Fraction, r: Fraction, w: Fraction, s: Fraction) -> int:
    """The sign of x + y sqrt(r) + w sqrt(s), by squaring."""
    first, second = _sign_of_one(x, y, r), _of(w) if s else 0
    if first * second >= 0:
        return first or second
    return first * _sign_of_one(x**2 + y**2 * r - w**2 * s, 2 * x * y, r)


def _sign_of_one(x: Fraction, y: Fraction, r: Fraction) -> int:
    one, two = _of(x), _of(y) if r else 0
    return (one or two) if one * two >= 0 else one * _of(x**2 - y**2 * r)


def _of(value: Fraction) -> int:
    return (value > 0) - (value < 0)
