"""How a receipt's page writes values: numbers with their counts, words with nothing in them that could be markup."""

from __future__ import annotations

import re
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

from protoc_runtime.visible import visible

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|!~])")
_PLACES = 4
_SMALL = Fraction(1, 1000)
_DIGITS = Context(prec=_PLACES, Emin=-999_999, Emax=999_999)


def number(value: Any) -> str:
    """A metric for people: `87/96 = 0.9063 (rounded)`, `0.7500`, `12`, `undefined`."""
    if value is None:
        return "undefined"
    if isinstance(value, dict) and "num" in value:
        return _ratio(int(value["num"]), int(value["den"]), str(value.get("unit", "")))
    if isinstance(value, dict) and "float" in value:
        return f"{value['float']} (rounded: {escape(str(value.get('why', 'not a rational number')))})"
    if isinstance(value, list):
        return ", ".join(number(item) for item in value) or "(none)"
    return escape(str(value).lower() if isinstance(value, bool) else str(value))


def escape(words: str) -> str:
    """Words on one line, with what Markdown, HTML and terminals would interpret taken as text."""
    return _SPECIAL.sub(r"\\\1", visible(" ".join(words.split())))


def _ratio(num: int, den: int, unit: str) -> str:
    behind = f" {unit}" if unit else ""
    if den == 1:
        return f"{num}{behind}"
    value = Fraction(num, den)
    text, exact = _significant(num, den) if 0 < abs(value) < _SMALL else _decimals(value)
    return f"{num}/{den} = {text}{behind}{'' if exact else ' (rounded)'}"


def _decimals(value: Fraction) -> tuple[str, bool]:
    """Four decimals, and whether they are all there is."""
    scaled = value * 10**_PLACES
    digits = round(scaled)
    text = f"{'-' if digits < 0 else ''}{abs(digits) // 10**_PLACES}.{abs(digits) % 10**_PLACES:0{_PLACES}}"
    return text, scaled.denominator == 1


def _significant(num: int, den: int) -> tuple[str, bool]:
    """Four digits from the first that is not 0 on: four decimals of a small p would be `0.0000`."""
    shown = _DIGITS.divide(Decimal(num), Decimal(den))
    return str(shown).replace("E", "e"), Fraction(shown) * den == num


def code(words: str) -> str:
    """Words as a code span, which may hold no backtick of its own."""
    return f"`{visible(' '.join(words.split())).replace('`', chr(39))}`"
