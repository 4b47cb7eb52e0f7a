"""What a number that a spec writes as an option, or as the draws of an interval, may be."""

from __future__ import annotations

from fractions import Fraction

from protoc_compiler import core
from protoc_compiler.catalogue import types as kinds
from protoc_compiler.elaborate.context import Context
from protoc_runtime.diagnostics import Span

MOST_DRAWS = 1_000_000
_PLACES = 400  # as many digits as a number in rows may have
_NEAREST = Fraction(1, 10**15)  # a normal quantile has 15 decimals

# by option: the least and the greatest value, and how a sentence says them
_OPTIONS: dict[str, tuple[Fraction | int, Fraction | int | None, str]] = {
    "level": (_NEAREST, 1 - _NEAREST, "between 0 and 100%, and no nearer to them than 10^-15"),
    "at": (0, 1, "between 0 and 100%"),
    "bins": (1, None, "at least 1"),
    "group": (1, None, "at least 1"),
    "of": (1, None, "at least 1"),
    "digits": (-_PLACES, _PLACES, f"between -{_PLACES} and {_PLACES}"),
}


def check_option(el: Context, function: str, name: str, value: core.Expr, span: Span) -> None:
    """Report a constant that is no value of this option (E0546); what the rows say is looked at when they are read."""
    if name not in _OPTIONS:
        return
    number = _constant(value)
    least, most, words = _OPTIONS[name]
    if number is not None and (number < least or (most is not None and number > most)):
        el.fault(kinds.OUT_OF_RANGE, span, what=f"`{name}` of `{function}`", found=str(number), expected=words)


def check_draws(el: Context, draws: int, span: Span) -> None:
    """Report more draws than an interval makes (E0546)."""
    if draws > MOST_DRAWS:
        words = f"at most {MOST_DRAWS:,}"
        el.fault(kinds.OUT_OF_RANGE, span, what="the number of draws", found=f"{draws:,}", expected=words)


def _constant(value: core.Expr) -> Fraction | int | None:
    if isinstance(value, core.Negative):
        inside = _constant(value.operand)
        return None if inside is None else -inside
    known = isinstance(value, core.Const) and isinstance(value.value, (int, Fraction))
    return value.value if known and not isinstance(value.value, bool) else None  # type: ignore[attr-defined]
