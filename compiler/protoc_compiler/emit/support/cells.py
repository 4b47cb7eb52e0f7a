"""Cells: how one written value becomes a value of its column's type."""

from __future__ import annotations

import json
import re
from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

from protoc_compiler.emit.support.rows import PROTOCOL
from protoc_compiler.emit.support.values import Anything, Stopped

UNITS = {
    "ms": Fraction(1, 1000), "s": 1, "min": 60, "h": 3600,
    "B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "USD": 1, "EUR": 1,
}  # fmt: skip
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)", re.ASCII)
DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
DIGEST = re.compile(r"[0-9a-f]{64}|[0-9a-f]{40}")
NUMBER = re.compile(r"-?\d{1,400}(\.\d{1,400})?([eE][+-]?\d{1,3})?", re.ASCII)
MOST = 2**53  # whole numbers beyond it are refused, since other programs would round them


class Wrong(ValueError):
    """A cell that its column's type does not allow."""


def exact(text: str) -> Fraction:
    """The decimal that was written."""
    if not NUMBER.fullmatch(text):
        raise Wrong(f"{text[:40]} is no decimal number of reasonable length")
    return Fraction(Decimal(text))


def refuse_constant(text: str) -> None:
    """NaN and the infinities are no numbers."""
    raise Wrong(f"{text} is not a number")


def without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object, refused where a key stands twice."""
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        raise Wrong(f"the key {next(n for n in names if names.count(n) > 1)!r} stands twice")
    return made


def whole_number(text: str) -> int:
    """A whole number as it was written: JSON writes one as digits alone."""
    return int(text) if len(text) <= 400 else int(exact(text))


DECODER = json.JSONDecoder(
    parse_float=exact, parse_int=whole_number, parse_constant=refuse_constant, object_pairs_hook=without_repeats
)


def parse_json(text: str) -> Any:
    """JSON with exact numbers; NaN, repeated keys and lone surrogates are refused."""
    try:
        made = DECODER.decode(text)
    except RecursionError:
        raise Wrong("it is nested too deeply") from None
    if "\\u" in text and re.search("[\ud800-\udfff]", json.dumps(made, ensure_ascii=False, default=str)):
        raise Wrong("it holds half of a surrogate pair, which is no character")
    return made


def cell(type_: tuple[Any, ...], raw: Any) -> Any:
    """A JSON value as a value of a type. Raises `Wrong`."""
    return READERS[type_[0]](type_, raw)


def of_bool(type_: tuple[Any, ...], raw: Any) -> bool:
    """`true` or `false`."""
    if not isinstance(raw, bool):
        raise Wrong(f"{shown(raw)} is not true or false")
    return raw


def of_number(type_: tuple[Any, ...], raw: Any) -> Any:
    """An exact number."""
    if isinstance(raw, bool) or not isinstance(raw, (int, Fraction)):
        raise Wrong(f"{shown(raw)} is not a number")
    return raw


def of_int(type_: tuple[Any, ...], raw: Any) -> int:
    """A whole number."""
    found = of_number(type_, raw)
    if found.denominator != 1 or abs(found) > MOST:
        raise Wrong(f"{shown(raw)} is not a whole number up to 2^53")
    return int(found)


def of_quantity(type_: tuple[Any, ...], raw: Any) -> Fraction:
    """A number of the declared unit, held in the base unit."""
    return Fraction(of_number(type_, raw) * UNITS[type_[2]])


def of_text(type_: tuple[Any, ...], raw: Any) -> str:
    """A text; of an enum one of its members."""
    if not isinstance(raw, str):
        raise Wrong(f"{shown(raw)} is not a text")
    if type_[0] == "enum" and raw not in type_[1]:
        raise Wrong(f"{raw!r} is none of {', '.join(type_[1])}")
    return raw


def of_time(type_: tuple[Any, ...], raw: Any) -> datetime:
    """A time in ISO form with its offset."""
    if not isinstance(raw, str) or not TIME.fullmatch(raw):
        raise Wrong(f"{shown(raw)} is not a time such as 2026-08-10T09:00:00Z")
    return datetime.fromisoformat(raw).astimezone(UTC)


def of_date(type_: tuple[Any, ...], raw: Any) -> date:
    """A date in ISO form."""
    if not isinstance(raw, str) or not DATE.fullmatch(raw):
        raise Wrong(f"{shown(raw)} is not a date such as 2026-08-10")
    return date.fromisoformat(raw)


def of_digest(type_: tuple[Any, ...], raw: Any) -> str:
    """Hex digits, held without `sha256:`."""
    bare = raw.removeprefix("sha256:") if isinstance(raw, str) else ""
    if not DIGEST.fullmatch(bare):
        raise Wrong(f"{shown(raw)} is not a digest of 40 or 64 hex digits")
    return bare


def of_anything(type_: tuple[Any, ...], raw: Any) -> Anything:
    """A value with its kind: kinds never equal each other, numbers are equal by value."""
    if isinstance(raw, bool):
        return Anything("bool", raw)
    if isinstance(raw, (int, Fraction)):
        return Anything("number", Fraction(of_number(type_, raw)))
    return Anything("text", raw) if isinstance(raw, str) else Anything("json", hashable(raw))


def hashable(raw: Any) -> Any:
    """A JSON value as one that can be compared and hashed."""
    if isinstance(raw, dict):
        return tuple(sorted((name, hashable(item)) for name, item in raw.items()))
    if isinstance(raw, list):
        return ("list", *map(hashable, raw))
    return None if raw is None else of_anything((), raw)


def of_items(type_: tuple[Any, ...], raw: Any) -> Any:
    """A list, or a set, in which order does not count and no value stands twice."""
    if not isinstance(raw, list) or None in raw:
        raise Wrong(f"{shown(raw)} is not a list of values")
    made = [cell(type_[1], item) for item in raw]
    if type_[0] == "set" and len(set(made)) < len(made):
        raise Wrong(f"{shown(raw)} has a value twice, which a set does not")
    return frozenset(made) if type_[0] == "set" else tuple(made)


def of_reference(type_: tuple[Any, ...], raw: Any) -> tuple[Any, ...]:
    """The key of a row in another table."""
    declared = PROTOCOL.tables[type_[1]]
    types = [declared.columns[name].type for name in declared.key]
    if len(types) == 1:
        return key_parts(types[0], raw)
    parts = raw
    if not isinstance(parts, (list, tuple)) or len(parts) != len(types):
        raise Wrong(f"{shown(raw)} is not a key of {type_[1]}: {', '.join(declared.key)}")
    return tuple(part for kind, value in zip(types, parts, strict=True) for part in key_parts(kind, value))


def key_parts(type_: tuple[Any, ...], raw: Any) -> tuple[Any, ...]:
    """What a key column adds to a row's key."""
    if raw is None:
        return (None,)
    return of_reference(type_, raw) if type_[0] == "row" else (cell(type_, raw),)


READERS = {
    "bool": of_bool, "number": of_number, "real": of_number, "int": of_int, "quantity": of_quantity,
    "text": of_text, "enum": of_text, "time": of_time, "date": of_date, "digest": of_digest,
    "any": of_anything, "set": of_items, "list": of_items, "row": of_reference,
}  # fmt: skip


def from_text(type_: tuple[Any, ...], text: str) -> Any:
    """A CSV cell as the JSON value that it stands for; an empty one is null."""
    if text == "":
        return None
    kind = base_type(type_)[0]
    if kind in ("text", "enum", "time", "date", "digest"):
        return text
    if kind == "any" and text not in ("true", "false") and not NUMBER.fullmatch(text) and text[0] not in "[{":
        return text
    try:
        return parse_json(text)
    except json.JSONDecodeError:
        raise Wrong(f"{text[:40]!r} is not a value of type {kind}") from None


def base_type(type_: tuple[Any, ...]) -> tuple[Any, ...]:
    """The type in which a value is written: a reference is written as the key of its table."""
    while type_[0] == "row" and len(PROTOCOL.tables[type_[1]].key) == 1:
        declared = PROTOCOL.tables[type_[1]]
        type_ = declared.columns[declared.key[0]].type
    return type_


def cast(value: Any, type_: tuple[Any, ...]) -> Any:
    """A value of type `any` read as another type; another kind of value is an error of the run."""
    if not isinstance(value, Anything):
        return value
    kind = {"bool": "bool", "int": "number", "number": "number", "quantity": "number"}.get(type_[0], "text")
    whole = type_[0] != "int" or (kind == value.kind and value.value.denominator == 1)
    if value.kind != kind or not whole:
        shown_value = text_of_any(value)
        raise Stopped("E1253", f"the value {shown_value} is used as {type_[0]}")
    return int(value.value) if type_[0] == "int" else value.value


def text_of_any(value: Anything) -> str:
    """A value of type `any` for a message."""
    return "a list or object" if value.kind == "json" else str(value.value)


def shown(raw: Any) -> str:
    """A JSON value for a message."""
    text = json.dumps(raw, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:57] + "..."
