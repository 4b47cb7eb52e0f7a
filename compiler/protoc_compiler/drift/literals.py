"""The numbers of a formula as its author wrote them, beside those of another version of it.

A normal form scales and moves numbers about (`a <= 1.2 * b` is `5 a - 6 b <= 0`), which nobody wants to read.
"""

from __future__ import annotations

from fractions import Fraction

from protoc_compiler import core
from protoc_compiler.core.tree import parts
from protoc_compiler.drift.judging import told
from protoc_compiler.elaborate.kinds import UNITS
from protoc_compiler.lexer import Token, tokenize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_WRITTEN = ("NUMBER", "QUANTITY", "PERCENT", "DATE")
_VALUES = (*_WRITTEN, "NAME", "FIELD", "STRING", "RPAR", "RSQB", "STATE")  # behind one of these, `-` takes away
_CALCULATED = ("^", "/")
Pair = tuple[str, str]
OTHER = "other numbers"


def moved(old: str, new: str, pairs: list[tuple[Any, Any]], sides: tuple[Any, Any]) -> str:
    """`0.90 -> 0.88`, for each number that is another one. `old` and `new` are the texts of both formulas, `pairs` the
    numbers of their forms that differ, `sides` the formulas."""
    written = _pairs(old, new)
    if written is None:
        written = [_constants(sides, pair) for pair in pairs]
        if None in written:
            return OTHER
    return ", ".join(dict.fromkeys(f"{before} -> {after}" for before, after in filter(None, written)))


def _pairs(old: str, new: str) -> list[Pair | None] | None:
    """The numbers that differ as they are written; None where other words differ, too, names aside."""
    one, other = tokenize(old), tokenize(new)
    if len(one) != len(other) or not all(map(_alike, one, other)):
        return None
    at = [place for place, token in enumerate(one) if _value(token) != _value(other[place])]
    runs = dict.fromkeys(_run(one, place) for place in at)
    return [(_written(old, one, *run), _written(new, other, *run)) for run in runs] or None


def _alike(one: Token, other: Token) -> bool:
    if one.kind in _WRITTEN:
        return other.kind in _WRITTEN
    return one.kind == other.kind and (one.text == other.text or one.kind in ("NAME", "FIELD"))


def _value(token: Token) -> object:
    """What a number stands for; of a date the text. Names may differ, for they were renamed."""
    if token.kind not in _WRITTEN:
        return None
    if token.kind == "DATE":
        return token.text
    digits = token.text.rstrip("%").rstrip(" ").rstrip(_LETTERS).rstrip(" ")
    number = Fraction(digits.replace("_", ""))
    unit = token.text[len(digits) :].strip() if token.kind == "QUANTITY" else ""
    return (UNITS[unit][0], number * UNITS[unit][1]) if unit else number / (100 if token.kind == "PERCENT" else 1)


def _run(tokens: list[Token], at: int) -> tuple[int, int]:
    """The first and last token of what is told of a number: with the numbers that it is calculated with at once
    (`20 ^ 2`, `1 / 3`), and its sign."""
    first = last = at
    while _calculates(tokens, first - 1) and tokens[first - 2].kind in _WRITTEN:
        first -= 2
    while _calculates(tokens, last + 1) and tokens[last + 2].kind in _WRITTEN:
        last += 2
    signed = first > 0 and tokens[first - 1].text == "-" and (first == 1 or tokens[first - 2].kind not in _VALUES)
    return first - signed, last


def _calculates(tokens: list[Token], at: int) -> bool:
    return 0 < at < len(tokens) - 1 and tokens[at].text in _CALCULATED


def _written(text: str, tokens: list[Token], first: int, last: int) -> str:
    return " ".join(text[tokens[first].start : tokens[last].end].split())


def _constants(sides: tuple[Any, Any], pair: tuple[Any, Any]) -> Pair | None:
    """Two numbers of forms, if both stand in the formulas as they are."""
    shown = [_literal(side, number) for side, number in zip(sides, pair, strict=True)]
    return (shown[0], shown[1]) if shown[0] is not None and shown[1] is not None else None


def _literal(formula: Any, number: Any) -> str | None:
    """A number in the unit that its formula has; None where the formula has no such number."""
    for part in parts(formula):
        if not isinstance(part, core.Const) or isinstance(part.value, bool):
            continue
        time = getattr(part.value, "isoformat", None)
        if (part.value if time is None else time()) == number:
            unit = part.type.shown
            return f"{told(number / UNITS[unit][1])} {unit}" if unit else told(number)
    return None


_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
