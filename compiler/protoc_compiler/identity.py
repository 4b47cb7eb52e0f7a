"""The meaning of a protocol as bytes: RFC 8785 canonical JSON of the resolved tree, and its digest.

What does not mean anything is left out: positions, the formula's spelling, the unit of a literal, which narrowing was
written and which came from a reference, and the order of everything that may stand in any order. The format has a
name and a version of its own, so that a digest can be recomputed later.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache, partial
from json.encoder import encode_basestring
from operator import attrgetter

from protoc_compiler import core
from protoc_compiler.by_protocol import by_protocol
from protoc_runtime.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

FORMAT = "protoc-identity/1"
_MEANINGLESS = {"span", "text", "withheld_text", "narrowed"}
_PLAIN = {str, bool, type(None)}  # JSON has them as they are
Parts: TypeAlias = "dict[str, Any]"  # what means something in a record, by the names of its fields


@by_protocol  # every part of a package asks for the same bytes
def canonical(protocol: core.Protocol) -> bytes:
    """The bytes of `protocol.json`: `{"format": "protoc-identity/1", "protocol": {...}}`.

    There is no number in it and every key is the name of a field, so that keys in the order of their letters and the
    least that JSON escapes in a string give the bytes of RFC 8785. They are written as they are found: to make a tree
    for `json` first took as long again, and a type, which each part of a formula tells, is written once.
    """
    return f'{{"format":"{FORMAT}","protocol":{text(protocol)}}}'.encode()


@by_protocol
def tree(protocol: core.Protocol) -> dict[str, Any]:
    """The value of `protocol` in `protocol.json`. It is kept and shared: leave it as it is."""
    made: dict[str, Any] = to_json(protocol)
    return made


def digest(protocol: core.Protocol) -> str:
    """The spec digest, `sha256:` and 64 hex digits."""
    from protoc_compiler.sha import sha256_hex

    return "sha256:" + sha256_hex(canonical(protocol))


def to_json(value: object) -> Any:
    """What stands in the canonical JSON for a value, its fields in the order in which they are declared."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is tuple:
        return [to_json(part) for part in value]  # type: ignore[attr-defined]
    if kind is dict:
        return {name: to_json(part) for name, part in value.items()}  # type: ignore[attr-defined]
    if not hasattr(kind, "__record_fields__"):
        return word(value)
    return {"node": kind.__name__, **{name: to_json(part) for name, part in parts_of(value).items()}}


# --- as text ----------------------------------------------------------------------------------------------------------


def text(value: object) -> str:
    """A record as `{"node": its class, field: ...}`; what JSON does not have as a string, see `word`."""
    written: str = _WRITE[type(value)](value)
    return written


def word(value: object) -> str:
    """An int as digits, a rational as `num/den`, a time in ISO form."""
    if isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}"
    if isinstance(value, int):
        return str(value)
    from datetime import date

    if isinstance(value, date):
        return value.isoformat()
    raise TypeError(f"no canonical form for {type(value).__name__}")


class _Writers(dict):  # type: ignore[type-arg]
    """What writes the values of each class, made when the first of them is met."""

    def __missing__(self, kind: Any) -> Callable[[Any], str]:
        made: Callable[[Any], str] = lambda value: f'"{word(value)}"'  # noqa: E731
        if kind in _OWN:
            made = lambda value: _object({"node": kind.__name__, **_OWN[kind](value)})  # noqa: E731
        elif hasattr(kind, "__record_fields__"):
            made = partial(_record, *_layout(kind))
        self[kind] = made
        return made


def _layout(kind: Any) -> tuple[str, Callable[[object], tuple[Any, ...]]]:
    """How a class is written, its fields in the order of their letters, and what gets their values in this order."""
    names = sorted(_names(kind, ()))
    keys = {**{name: f'"{name}":%s' for name in names}, "node": f'"node":"{kind.__name__}"'}
    get: Any = attrgetter(*names) if len(names) > 1 else lambda value: tuple([getattr(value, name) for name in names])
    return "{" + ",".join([keys[name] for name in sorted(keys)]) + "}", get


def _record(layout: str, get: Callable[[object], tuple[Any, ...]], value: object) -> str:
    return layout % tuple([_WRITE[type(part)](part) for part in get(value)])


def _object(parts: Parts) -> str:
    return "{" + ",".join([f'"{name}":{_WRITE[type(part)](part)}' for name, part in sorted(parts.items())]) + "}"


def _tuple(values: tuple[object, ...]) -> str:
    return "[" + ",".join([_WRITE[type(value)](value) for value in values]) + "]" if values else "[]"


@lru_cache(maxsize=1024)  # there are few types
def _type_text(kind: core.Type) -> str:
    return _object({"node": "Type", **_type(kind)})


# --- what means something ---------------------------------------------------------------------------------------------


def parts_of(value: object) -> Parts:
    """What means something in a record; what may stand in any order is in one of its own."""
    own = _OWN.get(type(value))
    return own(value) if own is not None else _fields(value)


def _fields(value: object, *without: str) -> Parts:
    kind: Any = type(value)
    return {name: getattr(value, name) for name in _names(kind, without)}


@lru_cache(maxsize=256)
def _names(kind: Any, without: tuple[str, ...]) -> tuple[str, ...]:
    left_out = {*_MEANINGLESS, *without}
    fields: tuple[str, ...] = kind.__record_fields__
    return tuple(name for name in fields if name not in left_out)


def _with_later(value: object) -> Parts:
    """Parts that the format got later stand in it only where they say something: older digests stay what they are."""
    later = _LATER[type(value)]
    given = {name: getattr(value, name) for name in later}
    return _fields(value, *later) | {name: _unordered(name, part) for name, part in given.items() if part}


def _unordered(name: str, part: Any) -> Any:
    if name in ("providers", "judgements"):
        return tuple(sorted(part, key=lambda item: item.name))
    if name == "hidden":
        return tuple(sorted(part, key=lambda item: (item.table, item.column)))
    if name == "manifest":
        return replace(part, fields=tuple(sorted(part.fields, key=lambda item: item.path)))
    if name == "outputs":
        return tuple(sorted(part, key=lambda item: item.path))
    return part


def _item(item: core.Item) -> Parts:
    """The texts of an all or any are spellings; its parts are meaning."""
    return _with_later(item) | {"parts": tuple(part for _, part in item.parts)}


def _type(kind: core.Type) -> Parts:
    """The unit in which a literal was written is a spelling: 250 ms is 0.25 s."""
    return _fields(kind, "shown")


def _column(column: core.Col) -> Parts:
    """The unit of a column says what the numbers in its rows mean."""
    return _fields(column) | {"type": _with_units(column.type)}


def _with_units(kind: core.Type) -> Parts:
    made = {"node": "Type", **_type(kind)}
    if kind.shown:
        made["shown"] = kind.shown
    if kind.item is not None:
        made["item"] = _with_units(kind.item)
    return made


def _table(table: core.Table) -> Parts:
    """Columns are a set, but for those whose values are listed in their order."""
    listed = len(table.listed[0]) if table.listed else 0
    columns = (*table.columns[:listed], *sorted(table.columns[listed:], key=lambda column: column.name))
    return _with_later(table) | {"columns": columns}


def _protocol(protocol: core.Protocol) -> Parts:
    """The order of tables, definitions, metrics, rules and reports means nothing."""
    return _with_later(protocol) | {
        "tables": tuple(sorted(protocol.tables, key=lambda table: table.name)),
        "items": tuple(sorted(protocol.items, key=lambda item: (item.space, item.name))),
        "intervals": tuple(sorted(protocol.intervals, key=lambda interval: interval.name)),
        "freeze": tuple(sorted(protocol.freeze, key=lambda item: item.name)),
        "head": tuple(sorted(protocol.head)),
        "question": tuple(sorted(protocol.question)),
        "claims": tuple(sorted(protocol.claims, key=lambda claim: claim.name)),
    }


_LATER: dict[type, tuple[str, ...]] = {
    core.Item: ("better",),
    core.Table: ("within",),
    core.Phase: (
        "owner",
        "enter",
        "once",
        "ends",
        "then",
        "may_change",
        "same",
        "parity",
        "never",
        "records",
        "duties",
    ),
    core.Split: ("after", "cases", "status", "disjoint_from", "at_most"),
    core.Protocol: ("target", "providers", "judgements", "outputs", "sealed", "hidden", "manifest", "parity"),
    core.Judgement: ("choices", "marks", "follows", "raters"),
    core.Freeze: ("measured", "copy"),
    core.Subject: ("argv", "directory", "environment", "session", "files", "pool"),
    core.Provider: ("sent_as",),
    core.Output: ("of", "kept", "shows", "rejected", "digests"),
    core.Statement: ("shown_by",),
    core.Amendment: ("supersedes", "removes"),
}
# The classes that have a rule of their own.
_OWN: dict[type, Callable[[Any], Parts]] = {
    **dict.fromkeys(_LATER, _with_later),
    core.Item: _item,
    core.Type: _type,
    core.Col: _column,
    core.Table: _table,
    core.Protocol: _protocol,
}
_WRITE = _Writers(
    {
        str: encode_basestring,
        bool: lambda value: "true" if value else "false",
        type(None): lambda _: "null",
        tuple: _tuple,
        dict: _object,
        core.Type: _type_text,
    }
)
