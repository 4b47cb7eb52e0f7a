"""What a function is called here that other languages name otherwise: read only where a name is not known."""

from __future__ import annotations

import re

from protoc_compiler import library, suggest

_COUNT = "`count(T where ...)` counts rows, `chars(x)` the characters of a text"
_SPREAD = "`sqrt(variance(x over T))` is the standard deviation"
_CALLED = {
    **dict.fromkeys(("avg", "average"), "write `mean(x over T)`"),
    **dict.fromkeys(("percentile", "percentiles", "perc"), "write `quantile(x over T, at = 95%)`, or `p95(x over T)`"),
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


def hint(name: str) -> str:
    """What to write instead of a function that there is not, as far as it can be told."""
    called = _CALLED.get(name.lower())
    at = re.fullmatch(r"[pq]([0-9]{1,2})", name.lower())
    if called is None and at is not None and int(at[1]) in range(1, 100):
        called = f"write `quantile(x over T, at = {int(at[1])}%)`"
    return called or suggest.hint(name, library.names(), "the language reference lists the library")
