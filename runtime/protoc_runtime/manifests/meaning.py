"""Values of JSON and YAML files by their meaning: exact numbers, no order of keys, and every fault with its path.

Numbers are `int` or `Decimal`, as they are written. NaN and the infinities stand for themselves (as floats), so that
whoever looks at a value can tell where they are; they have no canonical text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

PLACES = 400  # an exponent beyond this is no measured number
DEEP = 60
_SPECIAL = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_BASED = re.compile(rf"0o[0-7]{{1,{PLACES}}}|0x[0-9a-fA-F]{{1,{PLACES}}}")
_ESCAPED = re.compile(r"(?:[^~]|~[01])*")
_PLACE = re.compile(r"0|[1-9][0-9]{0,17}")
_JS = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


class Unreadable(ValueError):
    """The bytes are no JSON or YAML that has one meaning; the text says why."""


class Twice(dict[str, Any]):
    """An object in which keys are written twice: `again` names them."""

    again: tuple[str, ...] = ()


def parse_json(data: bytes) -> Any:
    """The value of a JSON document. Raises Unreadable; repeated keys make a `Twice`."""
    try:
        return json.loads(
            data.decode("utf-8-sig"),
            object_pairs_hook=collect_pairs,
            parse_float=_decimal,
            parse_int=_int,
            parse_constant=float,
        )
    except RecursionError:
        raise Unreadable("it is nested too deeply") from None
    except ValueError as error:
        raise Unreadable(str(error)) from None


def scalar(text: str) -> Any:
    """The value of a plain scalar of YAML 1.2 (core schema): null, a truth value, a number, or the text itself."""
    if text in ("", "~", "null", "Null", "NULL"):
        return None
    if text in ("true", "True", "TRUE", "false", "False", "FALSE"):
        return text.lower() == "true"
    if _SPECIAL.fullmatch(text):
        return float(text.replace(".", ""))
    if _BASED.fullmatch(text):
        return int(text, 0)
    body = text.removeprefix("-").removeprefix("+").replace(".", "", 1)
    mantissa, _, exponent = body.lower().partition("e")
    if not mantissa.isascii() or not mantissa.isdigit() or text.startswith(("+-", "-+")):
        return text
    if body.lower() == mantissa:
        return _int(text) if "." not in text else _decimal(text)
    digits = exponent.removeprefix("-").removeprefix("+")
    return _decimal(text) if digits.isascii() and digits.isdigit() else text


def canonical(value: Any) -> str:
    """The canonical text of a value: equal exactly for equal values. Raises Unreadable for what has none."""
    if isinstance(value, Mapping):
        again = getattr(value, "again", ())
        if again:
            raise Unreadable(f"the key `{again[0]}` is written twice")
        parts = (f"{_text(key)}:{canonical(value[key])}" for key in sorted(value))
        return "{" + ",".join(parts) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, str):
        return _text(value)
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    return number(value)


def number(value: Any) -> str:
    """The one spelling of a number. Raises Unreadable for NaN, infinities and what is no number."""
    if isinstance(value, float):
        value = Decimal(repr(value))
    exact = Decimal(value)
    if not exact.is_finite():
        raise Unreadable(f"{exact} is no number")
    sign, digits, exponent = exact.as_tuple()
    assert isinstance(exponent, int)
    kept = "".join(map(str, digits)).lstrip("0")
    bare = kept.rstrip("0")
    exponent += len(kept) - len(bare)
    if not bare:
        return "0"
    minus = "-" if sign else ""
    if exponent >= 0:
        return minus + bare + "0" * exponent
    filled = bare.rjust(1 - exponent, "0")
    return f"{minus}{filled[:exponent]}.{filled[exponent:]}"


def at(value: Any, pointer: str) -> Any:
    """What a JSON pointer (RFC 6901) leads to. Raises Unreadable where it leads nowhere, or is none."""
    before, *parts = pointer.split("/")
    if before or not _ESCAPED.fullmatch(pointer):
        raise Unreadable(f"`{pointer}` is no JSON pointer: each step is written `/key`, `~0` for `~` and `~1` for `/`")
    for part in parts:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, Mapping) and key in value:
            value = value[key]
        elif isinstance(value, list) and _PLACE.fullmatch(key) and int(key) < len(value):
            value = value[int(key)]
        else:
            known = f"; there are {', '.join(f'`{name}`' for name in value)}" if isinstance(value, Mapping) else ""
            raise Unreadable(f"`{pointer}` leads nowhere: there is no `{key}`{known}")
    return value


def differences(one: Any, other: Any, path: str = "") -> Iterator[tuple[str, str, str]]:
    """Where two values differ: the path ("" for the whole), and each side as JSON or `nothing`."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        for key in dict.fromkeys([*one, *other]):
            inner = f"{path}.{key}" if path else str(key)
            if key not in one or key not in other:
                yield (
                    inner,
                    shown(one[key]) if key in one else "nothing",
                    shown(other[key]) if key in other else "nothing",
                )
            else:
                yield from differences(one[key], other[key], inner)
    elif not same(one, other):
        yield path, shown(one), shown(other)


def same(one: Any, other: Any) -> bool:
    """Whether two values mean the same; what has no canonical text is equal to nothing."""
    try:
        return canonical(one) == canonical(other)
    except Unreadable:
        return False


def shown(value: Any, most: int = 120) -> str:
    """A value for a message."""
    try:
        text = canonical(value)
    except Unreadable as fault:
        text = str(value) if isinstance(value, float) else str(fault)
    return text if len(text) <= most else f"{text[:most]}..."


def told(value: Any) -> str:
    """A value in a message: what it is where that is the fault, else the value itself."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f"`{value}`" if len(value) <= 80 else f"`{value[:77]}...`"
    return "null" if value is None else shown(value, 80)


def written(value: Any, indent: str = "") -> str:
    """A value as JSON that people read and edit: digits as they are, keys in their order."""
    inner = indent + "  "
    if isinstance(value, Mapping) and value:
        parts = (f"{inner}{_text(key)}: {written(item, inner)}" for key, item in value.items())
        return "{\n" + ",\n".join(parts) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(item, (Mapping, list)) for item in value):
        return "[\n" + ",\n".join(f"{inner}{written(item, inner)}" for item in value) + f"\n{indent}]"
    if isinstance(value, list):
        return "[" + ", ".join(map(written, value)) + "]"
    return canonical(value)


def flaws(value: Any, path: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
    """What no JSON value may hold anywhere: (path, reason) of repeated keys, NaN, infinities, halves of characters."""
    if depth > DEEP:
        yield path, "it is nested too deeply"
    elif isinstance(value, Mapping):
        for key in getattr(value, "again", ()):
            yield _below(path, key), "the key is written twice"
        for key, item in value.items():
            yield from flaws(item, _below(path, key), depth + 1)
    elif isinstance(value, list):
        for place, item in enumerate(value):
            yield from flaws(item, f"{path}[{place}]", depth + 1)
    elif isinstance(value, float):
        yield path, f"{_JS.get(str(value), value)} is no number of JSON"
    elif isinstance(value, str) and any("\ud800" <= char <= "\udfff" for char in value):
        yield path, "the text holds half of a surrogate pair"


def _below(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def collect_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; a `Twice` where a key is repeated."""
    made = dict(pairs)
    if len(made) == len(pairs):
        return made
    names = [name for name, _ in pairs]
    twice = Twice(made)
    twice.again = tuple(dict.fromkeys(name for name in names if names.count(name) > 1))
    return twice


def _decimal(text: str) -> Decimal:
    _, _, exponent = text.lower().partition("e")
    if len(text) > PLACES or (exponent and abs(int(exponent)) > PLACES):
        raise Unreadable(f"the number {text[:40]} has too many places")
    return Decimal(text)


def _int(text: str) -> int:
    if len(text) > PLACES:
        raise Unreadable(f"the number {text[:40]}... has too many places")
    return int(text)
