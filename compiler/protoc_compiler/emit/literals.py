"""Constants as Python source."""

from __future__ import annotations

from datetime import date, datetime
from fractions import Fraction

from protoc_compiler import core


def literal(value: core.Value, kind: core.Type) -> str:
    """The source of a constant of a type; a whole number of a type that is not `int` stays a fraction."""
    if value is None:
        return "undefined"
    if isinstance(value, (bool, str)):
        return repr(value)
    if isinstance(value, Fraction) or (isinstance(value, int) and kind.kind != "int"):
        exact = Fraction(value)
        inner = f"{exact.numerator}" if exact.denominator == 1 else f"{exact.numerator}, {exact.denominator}"
        return f"Fraction({inner})"
    if isinstance(value, int):
        return repr(value)
    if isinstance(value, datetime):
        parts = (value.year, value.month, value.day, value.hour, value.minute, value.second)
        return f"datetime({', '.join(map(str, parts))}, tzinfo=UTC)"
    if isinstance(value, date):
        return f"date({value.year}, {value.month}, {value.day})"
    raise TypeError(f"no literal for {type(value).__name__}")


def kind_text(kind: core.Type) -> str:
    """A column's kind as the engine reads it: `int`, `ref cases`, `set of text`."""
    if kind.kind == "row":
        return f"ref {kind.table}"
    if kind.kind in ("set", "list") and kind.item is not None:
        return f"{kind.kind} of {kind_text(kind.item)}"
    return "number" if kind.kind in ("quantity", "number", "real") else kind.kind
