"""Types and values in words, for `PROTOCOL.md`."""

from __future__ import annotations

from datetime import date, datetime
from fractions import Fraction

from protoc_compiler import core

_KINDS = {"number": "decimal", "int": "whole number", "bool": "true or false", "any": "any value"}


def type_words(kind: core.Type) -> str:
    """A type as a reader would name it."""
    if kind.kind == "enum":
        return "one of " + ", ".join(kind.members)
    if kind.kind == "quantity":
        return kind.shown or kind.unit
    if kind.kind in ("set", "list") and kind.item is not None:
        return f"{kind.kind} of {type_words(kind.item)}"
    if kind.kind == "row":
        return f"a row of {kind.table}"
    return _KINDS.get(kind.kind, kind.kind)


def value_words(value: object, kind: core.Type) -> str:
    """A value as it would be written: decimals where they end, quantities with their unit."""
    if value is None:
        return "undefined"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, Fraction)):
        return amount(Fraction(value), kind.unit)
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, (tuple, frozenset)):
        item = kind.item or kind
        words = [value_words(each, item) for each in value]
        return ", ".join(sorted(words) if isinstance(value, frozenset) else words)
    return str(value)


def amount(value: Fraction, unit: str) -> str:
    """An exact number, as a decimal where it ends and as a fraction where it does not."""
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    if rest != 1:
        shown = f"{value.numerator}/{value.denominator}"
    else:
        places = 0
        while (value * 10**places).denominator != 1:
            places += 1
        digits = f"{abs(int(value * 10**places)):0{places + 1}}"
        whole, decimals = (digits[:-places], f".{digits[-places:]}") if places else (digits, "")
        shown = ("-" if value < 0 else "") + whole + decimals
    return f"{shown} {unit}".strip()
