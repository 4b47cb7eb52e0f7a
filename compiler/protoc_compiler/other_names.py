"""What a function is called here that other languages name otherwise: read only where a name is not known."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction

from protoc_compiler import library, suggest, syntax

_COUNT = "`count(T where ...)` counts rows, `chars(x)` the characters of a text"
_SPREAD = "`sqrt(variance(x over T))` is the standard deviation"
_RANKED = ("percentile", "percentiles", "perc")
_CALLED = {
    **dict.fromkeys(("avg", "average"), "write `mean(x over T)`"),
    **dict.fromkeys(("len", "length", "nrows"), _COUNT),
    **dict.fromkeys(
        ("share", "proportion", "fraction", "percent", "ratio"), "write `rate(c over T)`, of a condition c"
    ),
    **dict.fromkeys(("std", "stdev", "stddev", "sd"), _SPREAD),
    "p50": "write `median(x over T)`, or `quantile(x over T, at = 50%)` for one of the values",
    "var": "write `variance(x over T)`",
    **dict.fromkeys(("nunique", "unique", "count_distinct"), "write `distinct(x over T)`"),
    "total": "write `sum(x over T)`",
    "minimum": "write `min(x over T)`",
    "maximum": "write `max(x over T)`",
}


def hint(name: str, given: Iterable[syntax.Tree] = ()) -> str:
    """What to write instead of a function that there is not, as far as it can be told. `given`: what it is called with,
    by which a percentile is known."""
    if name.lower() in _RANKED:
        return ranked(given) or f"write {_ranked(Fraction(95))}"
    called = _CALLED.get(name.lower())
    at = re.fullmatch(r"[pq]([0-9]{1,2})", name.lower())
    if called is None and at is not None and int(at[1]) in range(1, 100):
        called = f"write `quantile(x over T, at = {int(at[1])}%)`"
    return called or suggest.hint(name, library.names(), "the language reference lists the library")


def ranked(given: Iterable[syntax.Tree]) -> str:
    """How the percentile is written whose number is among these (`95`, `95%`, `0.95`, `at = 95%`); empty where there
    is none."""
    for one in given:
        number = one.value if isinstance(one, syntax.Option) else one
        if isinstance(number, syntax.Number):
            percent = number.value if number.value > 1 and not number.percent else number.value * 100
            if 0 < percent < 100:
                return f"write {_ranked(percent)}"
    return ""


def _ranked(percent: Fraction) -> str:
    whole = percent.denominator == 1
    at = f"{percent}%" if whole else f"{float(percent / 100):g}"
    quantile = f"`quantile(x over T, at = {at})`"
    shorter = {Fraction(95): "`p95(x over T)`", Fraction(50): "`median(x over T)`"}.get(percent)
    if shorter is None:
        return quantile
    return f"{shorter}, or {quantile}" + (" for one of the values" if percent == 50 else "")
