"""Functions on values: texts, rounding, roots, Wilson's interval, Holm's adjustment."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from math import floor
from statistics import NormalDist
from typing import Any

from protoc_compiler.emit.support.statistics import largest, smallest
from protoc_compiler.emit.support.values import (
    PROMISED,
    WORKING,
    Real,
    Stopped,
    capped,
    decimal_of,
    minus,
    order,
    plus,
    real,
    same,
)

LARGEST_ROUNDING = 400  # decimals that `round` keeps or cuts off
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899863")


def part(struct: dict[str, Any] | None, name: str) -> Any:
    """A field of a result."""
    return None if struct is None else struct[name]


def defined(function: Callable[..., Any], *arguments: Any) -> Any:
    """A function of defined values; undefined if an argument is."""
    return None if None in arguments else function(*arguments)


def absolute(x: Any) -> Any:
    """|x|; of a quotient of counts a number like any other."""
    return minus(0, x) if x is not None and order(x, 0) < 0 else plus(0, x)


def whole(x: Any) -> int | None:
    """`floor(x)`."""
    return None if x is None else floor(x.number if isinstance(x, Real) else x)


def least(*values: Any) -> Any:
    """`min(a, b)`."""
    return smallest(values)


def most(*values: Any) -> Any:
    """`max(a, b)`."""
    return largest(values)


def indicator(x: bool | None) -> int | None:
    """1 of true, 0 of false."""
    return None if x is None else int(x)


def day(x: datetime | None) -> date | None:
    """The UTC date of a time."""
    return None if x is None else x.astimezone(UTC).date()


def chars(x: str | None) -> int | None:
    """The number of code points."""
    return None if x is None else len(x)


def size(x: Any) -> int | None:
    """The number of members of a set or list."""
    return None if x is None else len(x)


def occurrences(needle: str | None, text: str | None) -> int | None:
    """How often a text occurs in another, overlaps included; an empty one occurs nowhere."""
    if needle is None or text is None:
        return None
    found, position = 0, text.find(needle) if needle else -1
    while position >= 0:
        found, position = found + 1, text.find(needle, position + 1)
    return found


def offset(needle: str | None, text: str | None) -> int | None:
    """The first position of a text in another, from 0."""
    if not needle or text is None or needle not in text:
        return None
    return text.index(needle)


def cut(text: str | None, start: int | None, end: int | None) -> str | None:
    """`slice(text, start, end)`: undefined outside of the text."""
    if text is None or start is None or end is None or not 0 <= start <= end <= len(text):
        return None
    return text[start:end]


def rounded(x: Any, digits: int | None) -> Any:
    """Half-even to so many decimals, on the exact value."""
    if x is None or digits is None:
        return None
    capped(LARGEST_ROUNDING, "round", abs(digits), "decimals")
    scale = Fraction(10) ** digits
    return round(Fraction(x.number if isinstance(x, Real) else x) * scale) / scale


def square_root(x: Any) -> Real | None:
    """`sqrt(x)`."""
    if x is None or order(x, 0) < 0:
        return None
    return real(WORKING.sqrt(decimal_of(x)), "square root")


@cache
def normal_quantile(probability: Fraction) -> Decimal:
    """The standard normal quantile, rounded to 15 decimals: Newton's steps on 1/2 + phi(x) (x + x^3/3 + x^5/15 ...)."""
    x = Decimal(NormalDist().inv_cdf(float(probability)))
    with localcontext(WORKING):
        for _ in range(3):
            density = (-x * x / 2).exp() / (2 * PI).sqrt()
            term, series, odd = x, x, 3
            while abs(term) > Decimal("1e-60"):
                term = term * x * x / odd
                series, odd = series + term, odd + 2
            x -= (Decimal("0.5") + density * series - decimal_of(probability)) / density
    return PROMISED.quantize(x, Decimal("1e-15"))


def quantile_of(function: str, level: Any) -> Decimal:
    """The standard normal quantile of a two-sided level."""
    if Fraction(1 - level) * 10**15 < 1:
        words = "is asked for a level nearer to 1, and computes levels up to 1 - 10^-15"
        raise Stopped("E1260", f"`{function}` {words}")
    return normal_quantile((1 + Fraction(level)) / 2)


def wilson(hits: int | None, n: int | None, level: Any) -> dict[str, Real] | None:
    """Wilson's score interval (1927) for hits of n."""
    if hits is None or level is None or not n or not 0 <= hits <= n or not 0 < level < 1:
        return None
    z = Fraction(quantile_of("wilson", level))
    p, z2 = Fraction(hits, n), z * z
    root = WORKING.sqrt(decimal_of(p * (1 - p) / n + z2 / (4 * n * n)))
    middle, half = decimal_of((p + z2 / (2 * n)) / (1 + z2 / n)), WORKING.multiply(decimal_of(z / (1 + z2 / n)), root)
    why = "normal quantile and square root"
    low, high = max(Decimal(0), WORKING.subtract(middle, half)), min(Decimal(1), WORKING.add(middle, half))
    return {"low": real(low, why), "high": real(high, why)}


def family_of(name: str, p: Any, family: Sequence[Any] | None, missing: str | None) -> tuple[list[Any], int] | None:
    """The known members of a family in order, and its size; None where the adjusted p is undefined."""
    if p is None or family is None or missing is None:
        return None
    known = sorted(member for member in family if member is not None)
    if len(known) < len(family) and not missing:
        return None
    if not any(same(p, member) for member in known):
        raise Stopped("E1258", f"`{name}` is asked to adjust a p that is no member of the family given to it")
    return known, len(known) if missing == "dropped" else len(family)


def bonferroni(p: Any, family: Sequence[Any] | None, missing: str | None = "") -> Any:
    """Bonferroni: the p-value times the number of tests, at most 1."""
    found = family_of("bonferroni", p, family, missing)
    return None if found is None else min(Fraction(1), found[1] * Fraction(p))


def holm(p: Any, family: Sequence[Any] | None, missing: str | None = "") -> Any:
    """Holm (1979): the adjusted p of one member of a family."""
    found = family_of("holm", p, family, missing)
    if found is None:
        return None
    known, tests = found
    adjusted = Fraction(0)
    for before, member in enumerate(known):
        adjusted = max(adjusted, min(Fraction(1), (tests - before) * Fraction(member)))
        if same(member, p):
            break
    return adjusted


def step_up(p: Any, family: Sequence[Any] | None, missing: str | None = "") -> Any:
    """Benjamini and Hochberg (1995): the adjusted p of one member of a family, from the largest downwards."""
    found = family_of("benjamini_hochberg", p, family, missing)
    if found is None:
        return None
    known, tests = found
    adjusted = Fraction(1)
    for rank in range(len(known), 0, -1):
        if order(known[rank - 1], p) < 0:
            break
        adjusted = min(adjusted, Fraction(tests * Fraction(known[rank - 1]), rank))
    return adjusted
