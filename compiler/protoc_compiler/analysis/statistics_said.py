"""Statistics that the words of a rule name: a percentile or a median that no formula behind the rule computes."""

from __future__ import annotations

import re
from fractions import Fraction

from protoc_compiler import core
from protoc_compiler.catalogue import analysis as kinds
from protoc_compiler.elaborate.context import Context

_PERCENTILE = r"(?i)\b(\d{1,2})(?:st|nd|rd|th) percentile\b|\bp(\d\d)\b"
_MEDIAN = r"(?i)\bmedian\b"
_RULES = ("gates", "blockers", "checks")
_HALF = Fraction(1, 2)


def check(protocol: core.Protocol, el: Context) -> None:
    """Report rules whose words name a statistic that is not behind them."""
    for item in protocol.items:
        if item.space in _RULES and item.says:
            _rule(protocol, el, item)


def _rule(protocol: core.Protocol, el: Context, item: core.Item) -> None:
    said = _said(item.says)
    if not said:
        return
    known = _quantiles(protocol, item.expr)
    for words, share in said.items():
        if known is not None and share not in known:
            formula = "median(x over T)" if share == _HALF else f"quantile(x over T, at = {share * 100}%)"
            span = item.span or el.spec.title.span
            el.findings.add(kinds.OTHER_STATISTIC, span, rule=_name(item), said=words, formula=formula)


def _said(words: str) -> dict[str, Fraction]:
    """The percentiles and medians that words name; few words are worth a closer look."""
    low = words.lower()
    said: dict[str, Fraction] = {}
    if "percent" in low or any(part[:1].isdigit() for part in low.split("p")[1:]):
        said = {found[0]: Fraction(int(found[1] or found[2]), 100) for found in re.finditer(_PERCENTILE, words)}
    if "med" in low:
        said |= {found[0]: _HALF for found in re.finditer(_MEDIAN, words)}
    return said


def _name(item: core.Item) -> str:
    return f"{item.space}.{item.name}"


def _quantiles(protocol: core.Protocol, value: core.Expr) -> set[Fraction] | None:
    """The quantiles that a formula reads, through all names; None where they cannot be told."""
    from protoc_compiler.analysis.behind import behind

    found: set[Fraction] = set()
    for part, computed in behind(protocol, value):
        if isinstance(part, (core.Custom, core.Bound)) or (not computed and _is_named(part)):
            return None
        if isinstance(part, core.Aggregate) and part.function in ("median", "p95"):
            found.add(_HALF if part.function == "median" else Fraction(95, 100))
        if isinstance(part, core.Aggregate) and part.function == "quantile":
            at = dict(part.options)["at"]
            if not isinstance(at, core.Const) or not isinstance(at.value, (int, Fraction)):
                return None
            found.add(Fraction(at.value))
    return found


def _is_named(part: core.Expr) -> bool:
    """A number that comes from outside may be a percentile already, and says so by its name."""
    named = part.name if isinstance(part, (core.Column, core.Global)) else ""
    return bool(re.search(r"median|percentile|p\d\d", named))
