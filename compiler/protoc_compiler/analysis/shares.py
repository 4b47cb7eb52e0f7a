"""Shares and levels that are constants: one outside of 0 to 1 is no share, and hardly anybody means a level of 5%."""

from __future__ import annotations

from fractions import Fraction

from protoc_compiler import core
from protoc_compiler.analysis.walk import written
from protoc_compiler.catalogue import analysis as kinds
from protoc_compiler.core.tree import parts
from protoc_compiler.elaborate.context import Context
from protoc_runtime.diagnostics import Span

_SURE = Fraction(1, 2)
_OF_ERRORS = ("benjamini_hochberg",)  # its level is the share of false discoveries, which is meant to be small
_CHANCES = {"binomial_test": (2,)}  # the operands that are probabilities


def check(protocol: core.Protocol, el: Context) -> None:
    """Report constants that are no shares, and levels of confidence below one half."""
    for value, span, _ in written(protocol, el):
        for part in parts(value):
            if isinstance(part, (core.Call, core.Aggregate)):
                _function(el, part, el.place(part, span))
    for interval in protocol.intervals:
        _low(el, f"the interval `{interval.name}`", interval.level, interval.span or el.spec.title.span)


def _function(el: Context, value: core.Call | core.Aggregate, span: Span) -> None:
    for name, option in value.options:
        share = _number(option)
        if share is None:
            continue
        if name == "level" and value.function not in _OF_ERRORS:
            _low(el, f"`{value.function}`", share, span)
    for place in _CHANCES.get(value.function, ()):
        share = _number(value.args[place])
        if share is not None and not 0 <= share <= 1:
            _no_share(el, f"the probability of `{value.function}`", share, span)


def _no_share(el: Context, what: str, share: Fraction, span: Span) -> None:
    hint = f"write `{_short(share)}%`" if 1 < share <= 100 else "write a share, such as `95%`"
    el.findings.add(kinds.NO_SHARE, span, what=what, found=_short(share), hint=hint)


def _low(el: Context, what: str, level: Fraction, span: Span) -> None:
    if level < _SURE:
        el.findings.add(kinds.LOW_LEVEL, span, what=what, level=_percent(level), other=_percent(1 - level))


def _number(value: core.Expr) -> Fraction | None:
    plain = isinstance(value, core.Const) and isinstance(value.value, (int, Fraction))
    return Fraction(value.value) if plain and not isinstance(value.value, bool) else None  # type: ignore[attr-defined]


def _short(value: Fraction) -> str:
    return str(value.numerator) if value.denominator == 1 else f"{float(value):g}"


def _percent(value: Fraction) -> str:
    return f"{_short(value * 100)}%"
