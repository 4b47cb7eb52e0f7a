"""One value against its field: the plain reference for what is accepted, and the words for what is not.

Values come as the JSON reader gives them: an object is a tuple of (name, value) pairs (so that nothing is lost), an
array a list, an integer an int, any other number the bytes of its literal, NaN and the infinities `NotFinite`.
Values that stand in a spec may also be Fraction, date or datetime.
"""

from __future__ import annotations

import difflib
import itertools
import json
import re
from collections.abc import Callable
from datetime import UTC, date, datetime
from fractions import Fraction
from typing import Any

from protoc_runtime.catalogue import rows as kinds
from protoc_runtime.declared import Type
from protoc_runtime.diagnostics import Kind
from protoc_runtime.reading import decimals
from protoc_runtime.reading.faults import shown
from protoc_runtime.record import record
from protoc_runtime.tables import EXACT_INT, UNIT_FACTORS, UNIT_PLACES

DEPTH = 64
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[+-]\d\d:\d\d)", re.ASCII)
DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
DIGEST = re.compile(r"(?:[0-9a-f]{40}|(?:sha256:)?[0-9a-f]{64})", re.ASCII)
# invisible in a key: control characters, line and paragraph separators, zero width and bidirectional marks
INVISIBLE = "\x00-\x1f\x7f-\x9f\u2028\u2029\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff"
INVISIBLE_IN_KEY = re.compile(f"[{INVISIBLE}]")
_NUMBER_TEXT = re.compile(r"[+-]?\s*[0-9][0-9_,]*(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")

MISSING: Any = type("Missing", (), {"__repr__": lambda self: "missing"})()  # told already: the column is not there


@record
class NotFinite:
    """`NaN`, `Infinity` or `-Infinity`, which JSON does not have but many writers write."""

    text: str

    def __str__(self) -> str:
        return self.text


class Bad(Exception):
    """A value that its field does not take; `values` fill the message of the kind."""

    def __init__(self, kind: Kind, **values: Any) -> None:
        super().__init__(kind.id)
        self.kind = kind
        self.values = values


def check(value: Any, kind: Type, *, optional: bool = False, key: bool = False) -> Any:
    """The value in Python terms (number: Fraction, set: sorted list, any: tagged text, ...), or Bad."""
    if value is MISSING:
        return None
    if value is None:
        if optional:
            return None
        raise Bad(kinds.NULL_VALUE, expected=expected(kind))
    made = _CHECKS[kind.kind](value, kind)
    if key and isinstance(made, str) and (found := INVISIBLE_IN_KEY.search(made)):
        raise Bad(kinds.CONTROL_CHARACTER, found=f"U+{ord(found.group()):04X}")
    return made


def expected(kind: Type) -> str:
    """The type in words."""
    if kind.kind == "enum":
        return "one of " + ", ".join(kind.members)
    if kind.kind == "quantity":
        return f"a number of {kind.shown or kind.unit}"
    if kind.kind in ("set", "list"):
        return f"a list of values, each {expected(kind.item)}" if kind.item is not None else "a list of objects"
    return _WORDS[kind.kind]


_WORDS = {
    "bool": "true or false",
    "int": "an integer",
    "number": "a number",
    "text": "a text",
    "time": "a time such as 2026-08-10T12:30:00Z",
    "date": "a date such as 2026-08-10",
    "digest": "a digest of 64 (or 40) hexadecimal digits",
    "any": "a value",
}


def _wrong(value: Any, kind: Type) -> Bad:
    return Bad(kinds.WRONG_TYPE, found=shown(value), expected=expected(kind))


def _bool(value: Any, kind: Type) -> bool:
    if type(value) is not bool:
        raise _wrong(value, kind)
    return value


def _int(value: Any, kind: Type) -> int:
    if type(value) is bytes:
        raise Bad(kinds.NOT_AN_INTEGER, found=shown(value))
    if type(value) is Fraction and value.denominator == 1:
        value = int(value)
    if type(value) is not int:
        raise _not_number(value, kind)
    if not -EXACT_INT <= value <= EXACT_INT:
        raise Bad(kinds.INT_RANGE, found=shown(value))
    return value


def _number(value: Any, kind: Type) -> Fraction:
    if type(value) is int or type(value) is Fraction:
        if type(value) is int and value.bit_length() > decimals.DIGITS * 3:
            raise Bad(kinds.NUMBER_TOO_LONG, found=shown(value), expected=decimals.DIGITS)
        return Fraction(value)
    if type(value) is not bytes:
        raise _not_number(value, kind)
    try:
        return decimals.fraction(value.decode("ascii"))
    except OverflowError:
        raise Bad(kinds.NUMBER_TOO_LONG, found=shown(value), expected=decimals.DIGITS) from None


def _quantity(value: Any, kind: Type) -> Fraction:
    scaled = UNIT_FACTORS.get(kind.shown, 1), 10 ** UNIT_PLACES.get(kind.shown, 0)
    return _number(value, kind) * Fraction(*scaled)


def _not_number(value: Any, kind: Type) -> Bad:
    if isinstance(value, NotFinite) or (type(value) is str and value.lower().strip("+-") in _NOT_FINITE):
        return Bad(kinds.NOT_FINITE, found=value.text if isinstance(value, NotFinite) else shown(value))
    if type(value) is str and _NUMBER_TEXT.fullmatch(value.strip()):
        return Bad(kinds.QUOTED_NUMBER, found=shown(value), expected=expected(kind))
    return _wrong(value, kind)


_NOT_FINITE = {"nan", "inf", "infinity"}


def _text(value: Any, kind: Type) -> str:
    if type(value) is not str:
        raise _wrong(value, kind)
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise Bad(kinds.LONE_SURROGATE, found=f"U+{ord(value[error.start]):04X}") from None
    return value


def _enum(value: Any, kind: Type) -> str:
    text = _text(value, kind)
    if text not in kind.members:
        near = difflib.get_close_matches(text, kind.members, 1, 0.6)
        near = near or [member for member in kind.members if member.lower() == text.strip().lower()]
        hint = f"did you mean {near[0]}?" if near else "write a member as the protocol spells it"
        raise Bad(kinds.UNKNOWN_MEMBER, found=shown(text), expected=", ".join(kind.members), hint=hint)
    return text


def _time(value: Any, kind: Type) -> datetime:
    if isinstance(value, datetime) and value.tzinfo is not None:
        return value.astimezone(UTC)
    text = _text(value, kind)
    try:
        if not TIME.fullmatch(text):
            raise ValueError
        return datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):
        raise Bad(kinds.BAD_TIME, found=shown(text)) from None


def _date(value: Any, kind: Type) -> date:
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    text = _text(value, kind)
    try:
        if not DATE.fullmatch(text):
            raise ValueError
        return date.fromisoformat(text)
    except ValueError:
        raise Bad(kinds.BAD_DATE, found=shown(text)) from None


def _digest(value: Any, kind: Type) -> str:
    text = _text(value, kind)
    if not DIGEST.fullmatch(text):
        raise Bad(kinds.BAD_DIGEST, found=shown(text))
    return text.removeprefix("sha256:")


def _list(value: Any, kind: Type) -> list[Any]:
    if type(value) is not list:
        raise _wrong(value, kind)
    assert kind.item is not None
    return [check(item, kind.item) for item in value]


def _set(value: Any, kind: Type) -> list[Any]:
    items = sorted(_list(value, kind))
    for one, next_ in itertools.pairwise(items):
        if one == next_:
            raise Bad(kinds.REPEATED_MEMBER, found=shown(one))
    return items


def _any(value: Any, kind: Type) -> str:
    """The tagged canonical text of a value: equal texts are equal values."""
    if type(value) is bool:
        return "b:true" if value else "b:false"
    if type(value) is str:
        return "t:" + _text(value, kind)
    if type(value) in (int, bytes, Fraction):
        exact = _number(value, kind)
        return f"n:{exact.numerator}/{exact.denominator}"
    if isinstance(value, NotFinite):
        raise Bad(kinds.NOT_FINITE, found=value.text)
    return "j:" + _canonical(value, kind, 1)


def _canonical(value: Any, kind: Type, depth: int) -> str:
    """Canonical JSON in which numbers are plain decimals without trailing zeros."""
    if depth > DEPTH:
        raise Bad(kinds.TOO_DEEP, expected=DEPTH)
    if type(value) is list:
        return "[" + ",".join(_canonical(item, kind, depth + 1) for item in value) + "]"
    if type(value) is tuple:
        parts = dict(value)
        if len(parts) != len(value):
            names = [name for name, _ in value]
            raise Bad(kinds.DUPLICATE_FIELD, found=shown(next(name for name in names if names.count(name) > 1)))
        inner = (f"{_quoted(name, kind)}:{_canonical(parts[name], kind, depth + 1)}" for name in sorted(parts))
        return "{" + ",".join(inner) + "}"
    if value is None or type(value) is bool:
        return json.dumps(value)
    if type(value) is str:
        return _quoted(value, kind)
    if isinstance(value, NotFinite):
        raise Bad(kinds.NOT_FINITE, found=value.text)
    return decimals.decimal_text(_number(value, kind))


def _quoted(value: str, kind: Type) -> str:
    return json.dumps(_text(value, kind), ensure_ascii=False)


_CHECKS: dict[str, Callable[[Any, Type], Any]] = {
    "bool": _bool,
    "int": _int,
    "number": _number,
    "quantity": _quantity,
    "text": _text,
    "enum": _enum,
    "time": _time,
    "date": _date,
    "digest": _digest,
    "any": _any,
    "set": _set,
    "list": _list,
}
