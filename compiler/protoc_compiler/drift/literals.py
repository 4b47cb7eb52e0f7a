"""The numbers of a formula as its author wrote them, beside those of another version of it.

A normal form scales and moves numbers about (`a <= 1.2 * b` is `5 a - 6 b <= 0`), which nobody wants to read.
"""

from __future__ import annotations

from fractions import Fraction

from protoc_compiler import core
from protoc_compiler.core.tree import parts
from protoc_compiler.drift.judging import told as value_told
from protoc_compiler.elaborate.kinds import UNITS
from protoc_compiler.lexer import Token, tokenize
from protoc_runtime.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_WRITTEN = ("NUMBER", "QUANTITY", "PERCENT", "DATE")
_VALUES = (*_WRITTEN, "NAME", "FIELD", "STRING", "RPAR", "RSQB", "STATE")  # behind one of these, `-` takes away
_CALCULATED = ("^", "/")
_POWER = 100
OTHER = "other numbers"


@record
class Moved:
    """A number that is another one now: how it was and is written, and what both stand for, if that is known."""

    old: str
    new: str
    before: Any
    after: Any


def moved(old: str, new: str, pairs: list[tuple[Any, Any]], sides: tuple[Any, Any]) -> tuple[Moved, ...]:
    """Each number that is another one. `old` and `new` are the texts of both formulas, `pairs` the numbers of their
    forms that differ, `sides` the formulas."""
    written = _written(old, new)
    return written if written is not None else tuple(_constant(sides, pair, (old, new)) for pair in pairs)


def told(found: tuple[Moved, ...]) -> str:
    """`0.90 -> 0.88`, for each of them; where nobody wrote one of these numbers, only that there are others."""
    shown = dict.fromkeys(f"{each.old} -> {each.new}" if each.old and each.new else OTHER for each in found)
    return OTHER if OTHER in shown else ", ".join(shown)


def _written(old: str, new: str) -> tuple[Moved, ...] | None:
    """The numbers that differ as they are written; None where other words differ, too, names aside."""
    one, other = tokenize(old), tokenize(new)
    if len(one) != len(other) or not all(map(_alike, one, other)):
        return None
    at = [place for place, token in enumerate(one) if _value(token) != _value(other[place])]
    runs = dict.fromkeys(_run(one, place) for place in at)
    made = [Moved(_text(old, one, *run), _text(new, other, *run), _result(one, *run), _result(other, *run)) for run in
            runs]  # fmt: skip
    return tuple(made) or None


def _alike(one: Token, other: Token) -> bool:
    if one.kind in _WRITTEN:
        return other.kind in _WRITTEN
    return one.kind == other.kind and (one.text == other.text or one.kind in ("NAME", "FIELD"))


def _value(token: Token) -> Any:
    """What a number stands for, in the base unit; of a date the text. Names may differ, for they were renamed."""
    if token.kind not in _WRITTEN:
        return None
    if token.kind == "DATE":
        return token.text
    digits = token.text.rstrip("%").rstrip(" ").rstrip(_LETTERS).rstrip(" ")
    number = Fraction(digits.replace("_", ""))
    unit = token.text[len(digits) :].strip() if token.kind == "QUANTITY" else ""
    return number * UNITS[unit][1] if unit else number / (100 if token.kind == "PERCENT" else 1)


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


def _result(tokens: list[Token], first: int, last: int) -> Any:
    """What such numbers come to; None where that is more than to multiply and to divide."""
    negative = tokens[first].kind not in _WRITTEN
    made = _value(tokens[first + negative])
    for at in range(first + negative + 1, last, 2):
        by = _value(tokens[at + 1])
        if not isinstance(made, Fraction) or not isinstance(by, Fraction):
            return None
        if tokens[at].text == "/" and by and tokens[at + 2].text != "^":
            made /= by
        elif tokens[at].text == "^" and by.denominator == 1 and 0 <= by <= _POWER and at == first + negative + 1:
            made **= int(by)
        else:
            return None
    return -made if negative and isinstance(made, Fraction) else made


def _text(text: str, tokens: list[Token], first: int, last: int) -> str:
    return " ".join(text[tokens[first].start : tokens[last].end].split())


def _constant(sides: tuple[Any, Any], pair: tuple[Any, Any], texts: tuple[str, str]) -> Moved:
    """Two numbers of forms, with their texts if both stand in the formulas as they are."""
    shown = [
        (told_as := _literal(side, number)) and (_as_written(text, number) or told_as)
        for side, number, text in zip(sides, pair, texts, strict=True)
    ]
    return Moved(shown[0], shown[1], *pair)


def _as_written(text: str, number: Any) -> str:
    """A number as its author wrote it (`75%`); "" where it was written in several ways, or is calculated."""
    found = {
        " ".join(token.text.split()) for token in tokenize(text) if token.kind in _WRITTEN and _value(token) == number
    }
    return found.pop() if len(found) == 1 else ""


def _literal(formula: Any, number: Any) -> str:
    """A number in the unit that its formula has; "" where the formula has no such number."""
    for part in parts(formula):
        if not isinstance(part, core.Const) or isinstance(part.value, bool):
            continue
        time = getattr(part.value, "isoformat", None)
        if (part.value if time is None else time()) == number:
            unit = part.type.shown
            return f"{value_told(number / UNITS[unit][1])} {unit}" if unit else value_told(number)
    return ""


_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
