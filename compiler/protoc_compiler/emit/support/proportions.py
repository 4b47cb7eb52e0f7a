"""Counts and shares: exact tests by their definitions, intervals by the equations that define them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from math import comb
from typing import Any

from protoc_compiler.emit.support.functions import quantile_of
from protoc_compiler.emit.support.statistics import half_tail, operands
from protoc_compiler.emit.support.values import LARGEST_TEST, WORKING, Real, capped, decimal_of, order, real

LARGEST_INTERVAL = 1_000_000  # the trials of an interval by Clopper and Pearson


def chances(n: int, p: Fraction) -> Iterator[int]:
    """P(X = 0), ..., P(X = n) of a binomial count, each times the same whole number; p lies between 0 and 1."""
    hit, miss = p.numerator, p.denominator - p.numerator
    chance = miss**n
    for k in range(n + 1):
        yield chance
        chance = chance * ((n - k) * hit) // ((k + 1) * miss)


def tables_of(row: int, column: int, whole: int, least: int) -> Iterator[int]:
    """How many tables have these margins, for each first cell from the least one that they allow."""
    ways = comb(column, least) * comb(whole - column, row - least)
    for cell in range(least, min(row, column) + 1):
        yield ways
        ways = ways * ((row - cell) * (column - cell)) // ((cell + 1) * (whole - row - column + cell + 1))


def tails(chances_of: Iterable[int], here: int, place: int) -> dict[str, Fraction]:
    """The probability of what is at most as probable as `here`, of what is at least, of what is at most as large."""
    whole = p = at_most = 0
    for k, chance in enumerate(chances_of):
        whole += chance
        p += chance if chance <= here else 0
        at_most += chance if k <= place else 0
    at_least = whole - at_most + here
    return {"p": Fraction(p, whole), "at_least": Fraction(at_least, whole), "at_most": Fraction(at_most, whole)}


def binomial_test(hits: int | None, n: int | None, p0: Any) -> dict[str, Fraction] | None:
    """The exact binomial test of hits of n against a share."""
    if hits is None or n is None or p0 is None or not 0 <= hits <= n or not n or not 0 <= p0 <= 1:
        return None
    if p0 in (0, 1):  # the count is n * p0 for certain
        return {
            "p": Fraction(hits == n * p0),
            "at_least": Fraction(hits <= n * p0),
            "at_most": Fraction(hits >= n * p0),
        }
    p = Fraction(p0)
    bits = n * (p.denominator - 1).bit_length()
    capped(LARGEST_TEST, "binomial_test", bits, "bits (trials times those of the share's denominator)")
    here = comb(n, hits) * p.numerator**hits * (p.denominator - p.numerator) ** (n - hits)
    return tails(chances(n, p), here, hits)


def fisher(a: int | None, b: int | None, c: int | None, d: int | None) -> dict[str, Fraction] | None:
    """Fisher (1935): the table [[a, b], [c, d]] among all tables with its margins."""
    cells = (a, b, c, d)
    if a is None or b is None or c is None or d is None or any(cell is not None and cell < 0 for cell in cells):
        return None
    row, column, whole = a + b, a + c, a + b + c + d
    if not whole:
        return None
    capped(LARGEST_TEST, "fisher", whole, "observations")
    least = max(0, row + column - whole)
    return tails(tables_of(row, column, whole, least), comb(column, a) * comb(whole - column, b), a - least)


def sign_test(pairs: Iterable[tuple[Any, Any]], ties: str | None) -> dict[str, Any] | None:
    """The exact sign test: twice the smaller tail of Binomial(n, 1/2), at most 1."""
    found = operands(pairs)
    if not found or ties is None:
        return None
    signs = [order(x, y) for x, y in found]
    more, less, equal = signs.count(1), signs.count(-1), signs.count(0)
    shared = equal // 2 if ties == "halved" else 0
    n = more + less + 2 * shared
    capped(LARGEST_TEST, "sign_test", n, "signs")
    return {
        "p": min(Fraction(1), half_tail(n, min(more, less) + shared) * 2),
        "more": more,
        "less": less,
        "ties": equal,
    }


# --- intervals --------------------------------------------------------------------------------------------------


def reaches(hits: int, n: int, ways: Decimal, p: Decimal, limit: Decimal) -> bool:
    """Whether P(X >= hits) is at least `limit`: terms are added from `hits` upwards; `ways` is C(n, hits)."""
    other = WORKING.subtract(Decimal(1), p)
    odds = WORKING.divide(p, other)
    term = WORKING.multiply(ways, WORKING.multiply(WORKING.power(p, hits), WORKING.power(other, n - hits)))
    total, least = term, limit.scaleb(-75)
    for k in range(hits, n):
        if total >= limit:
            return True
        before = term
        term = WORKING.divide(WORKING.multiply(WORKING.multiply(term, odds), Decimal(n - k)), Decimal(k + 1))
        if term < least and term < before:
            break
        total = WORKING.add(total, term)
    return total >= limit


def ways_of(n: int, k: int) -> Decimal:
    """C(n, k), as Decimal(comb(n, k)) to 84 digits."""
    with localcontext(prec=90):
        ways = Decimal(1)
        for i in range(1, k + 1):
            ways = ways * (n - k + i) / i
    return ways


@cache
def clopper_pearson(hits: int | None, n: int | None, level: Any) -> dict[str, Real] | None:
    """Clopper and Pearson (1934): low is the share with P(X >= hits) = (1 - level) / 2, high that with P(X <= hits),
    which are the misses of the other share: P(X >= n - hits) at 1 - high."""
    if hits is None or not n or level is None or not 0 <= hits <= n or not 0 < level < 1:
        return None
    capped(LARGEST_INTERVAL, "clopper_pearson", n, "trials")
    tail, ways = decimal_of((1 - Fraction(level)) / 2), ways_of(n, min(hits, n - hits))
    low, miss = Decimal(0), Decimal(0)
    if hits:
        low = halved(lambda p: reaches(hits, n, ways, p, tail))
    if hits < n:
        miss = halved(lambda q: reaches(n - hits, n, ways, q, tail))
    high = WORKING.subtract(Decimal(1), miss)
    return {"low": real(low, "root of a binomial tail"), "high": real(high, "root of a binomial tail")}


def halved(beyond: Any) -> Decimal:
    """Where a condition on a share begins to hold: the interval is halved until it is narrower than 10^-62."""
    low, high = Decimal(0), Decimal(1)
    for _ in range(206):
        middle = WORKING.divide(WORKING.add(low, high), Decimal(2))
        low, high = (low, middle) if beyond(middle) else (middle, high)
    return high


def wilson_parts(hits: int, n: int, z2: Fraction) -> tuple[Fraction, Fraction]:
    """Centre and squared half width of Wilson's interval."""
    p = Fraction(hits, n)
    return (p + z2 / (2 * n)) / (1 + z2 / n), z2 * (p * (1 - p) / n + z2 / (4 * n * n)) / (1 + z2 / n) ** 2


def score_pair(hits1: Any, n1: Any, hits2: Any, n2: Any, level: Any) -> tuple[Any, Any, Any, Any] | None:
    """Share and Wilson's interval of each of two counts; None where a count is impossible."""
    if None in (hits1, n1, hits2, n2, level) or not n1 or not n2 or not 0 < level < 1:
        return None
    if not (0 <= hits1 <= n1 and 0 <= hits2 <= n2):
        return None
    z2 = Fraction(quantile_of("newcombe", level)) ** 2
    return Fraction(hits1, n1), wilson_parts(hits1, n1, z2), Fraction(hits2, n2), wilson_parts(hits2, n2, z2)


def newcombe(hits1: Any, n1: Any, hits2: Any, n2: Any, level: Any) -> dict[str, Real] | None:
    """Newcombe (1998), method 10: the interval of a difference from the two Wilson intervals."""
    known = score_pair(hits1, n1, hits2, n2, level)
    if known is None:
        return None
    p1, (m1, h1), p2, (m2, h2) = known
    width1, width2 = WORKING.sqrt(decimal_of(h1)), WORKING.sqrt(decimal_of(h2))
    low = root_of_squares(decimal_of(p1 - m1) + width1, decimal_of(m2 - p2) + width2)
    high = root_of_squares(decimal_of(m1 - p1) + width1, decimal_of(p2 - m2) + width2)
    apart, why = decimal_of(p1 - p2), "normal quantile and square roots"
    return {"low": real(WORKING.subtract(apart, low), why), "high": real(WORKING.add(apart, high), why)}


def root_of_squares(a: Decimal, b: Decimal) -> Decimal:
    """sqrt(a^2 + b^2)."""
    return WORKING.sqrt(WORKING.add(WORKING.multiply(a, a), WORKING.multiply(b, b)))


def newcombe_side(hits1: Any, n1: Any, hits2: Any, n2: Any, limit: Any, level: Any, bound: str) -> int | None:
    """-1, 0 or 1: where a bound of Newcombe's interval lies beside a limit, decided on rational numbers.

    The distance from the difference to the bound is sqrt(S), with S = A + B sqrt(h1) + C sqrt(h2). The limit lies at
    the distance t on the same side (or, for t < 0, on the other one), and t^2 is compared with S.
    """
    known = score_pair(hits1, n1, hits2, n2, level)
    if known is None or limit is None:
        return None
    p1, (m1, h1), p2, (m2, h2) = known
    down = 1 if bound == "low" else -1
    t, b, c = (p1 - p2 - limit) * down, (p1 - m1) * down, (m2 - p2) * down
    if t < 0:
        return -down
    nearer = sign_of_roots(b * b + h1 + c * c + h2 - t * t, 2 * b, h1, 2 * c, h2)  # of S - t^2
    return -nearer * down


def sign_of_roots(a: Fraction, b: Fraction, r: Fraction, c: Fraction = Fraction(0), s: Fraction = Fraction(0)) -> int:
    """The sign of a + b sqrt(r) + c sqrt(s)."""
    if c * s == 0:
        if a * b >= 0 or r == 0:
            return order(a if a else b * r, 0)
        return order(a, 0) * order(a * a, b * b * r)
    rest, last = sign_of_roots(a, b, r), order(c, 0)
    if rest * last >= 0:
        return rest or last
    return rest * sign_of_roots(a * a + b * b * r - c * c * s, 2 * a * b, r)
