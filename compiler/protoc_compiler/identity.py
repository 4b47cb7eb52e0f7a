"""The meaning of a protocol as bytes: RFC 8785 canonical JSON of the resolved tree, and its digest.

What does not mean anything is left out: positions, the formula's spelling, the unit of a literal, which narrowing was
written and which came from a reference, and the order of everything that may stand in any order. The format has a
name and a version of its own, so that a digest can be recomputed later.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

from protoc_compiler import core
from protoc_compiler.by_protocol import by_protocol
from protoc_runtime.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FORMAT = "protoc-identity/1"
_MEANINGLESS = {"span", "text", "withheld_text", "narrowed"}
_PLAIN = {str, bool, type(None)}  # JSON has them as they are
_SIMPLE: dict[type, tuple[str, ...]] = {}  # the fields of the classes that have no rule of their own


@by_protocol  # every part of a package asks for the same bytes
def canonical(protocol: core.Protocol) -> bytes:
    """The bytes of `protocol.json`: `{"format": "protoc-identity/1", "protocol": {...}}`.

    There is no number in it and every key is the name of a field, so that `json` gives the bytes of RFC 8785.
    """
    import json

    made = {"format": FORMAT, "protocol": tree(protocol)}
    text = json.dumps(made, ensure_ascii=False, check_circular=False, sort_keys=True, separators=(",", ":"))
    return text.encode("utf-8")


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
    """A record as `{"node": its class, field: ...}`; int as digits, a rational as `num/den`, a time in ISO form."""
    kind: Any = type(value)
    if kind in _PLAIN:
        return value
    fields = _SIMPLE.get(kind)
    if fields is not None:
        return _record(value, fields)
    if kind is tuple:
        return _list(value)  # type: ignore[arg-type]
    special = _SPECIAL.get(kind)
    if special is not None:
        return special(value)
    if hasattr(kind, "__record_fields__"):
        _SIMPLE[kind] = _names(kind, ())
        return _record(value, _SIMPLE[kind])
    if kind is int:
        return str(value)
    if isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}"
    if isinstance(value, int):
        return str(value)
    from datetime import date

    if isinstance(value, date):
        return value.isoformat()
    raise TypeError(f"no canonical form for {type(value).__name__}")


def _fields(value: object, *without: str) -> dict[str, Any]:
    kind: Any = type(value)
    return _record(value, _names(kind, without))


def _record(value: object, fields: tuple[str, ...]) -> dict[str, Any]:
    made: dict[str, Any] = {"node": type(value).__name__}
    for name in fields:
        part = getattr(value, name)
        if type(part) in _PLAIN:
            made[name] = part
        else:
            made[name] = _list(part) if type(part) is tuple else to_json(part)
    return made


def _list(values: tuple[object, ...]) -> list[Any]:
    return [item if type(item) in _PLAIN else to_json(item) for item in values] if values else []


@lru_cache(maxsize=256)
def _names(kind: Any, without: tuple[str, ...]) -> tuple[str, ...]:
    left_out = {*_MEANINGLESS, *without}
    fields: tuple[str, ...] = kind.__record_fields__
    return tuple(name for name in fields if name not in left_out)


def _item(item: core.Item) -> dict[str, Any]:
    """The texts of an all or any are spellings; its parts are meaning."""
    made = _fields(item, "parts", *_LATER["Item"]) | _later(item)
    return made | {"parts": [to_json(part) for _, part in item.parts]}


@lru_cache(maxsize=1024)  # a formula tells the type of each of its parts, and there are few types
def _type(kind: core.Type) -> dict[str, Any]:
    """The unit in which a literal was written is a spelling: 250 ms is 0.25 s. The map is shared: leave it as it is."""
    return _fields(kind, "shown")


def _column(column: core.Col) -> dict[str, Any]:
    """The unit of a column says what the numbers in its rows mean."""
    return _fields(column, "type") | {"type": _with_units(column.type)}


def _with_units(kind: core.Type) -> dict[str, Any]:
    made = dict(_type(kind))
    if kind.shown:
        made["shown"] = kind.shown
    if kind.item is not None:
        made["item"] = _with_units(kind.item)
    return made


def _table(table: core.Table) -> dict[str, Any]:
    """Columns are a set, but for those whose values are listed in their order."""
    listed = len(table.listed[0]) if table.listed else 0
    columns = (*table.columns[:listed], *sorted(table.columns[listed:], key=lambda column: column.name))
    return _fields(table, "columns", *_LATER["Table"]) | {"columns": to_json(columns)} | _later(table)


def _protocol(protocol: core.Protocol) -> dict[str, Any]:
    """The order of tables, definitions, metrics, rules and reports means nothing."""
    ordered = ("tables", "items", "intervals", "freeze", "head", "question", "claims")
    made = _fields(protocol, *ordered, *_LATER["Protocol"])
    made |= _later(protocol)
    return made | {
        "tables": to_json(tuple(sorted(protocol.tables, key=lambda table: table.name))),
        "items": to_json(tuple(sorted(protocol.items, key=lambda item: (item.space, item.name)))),
        "intervals": to_json(tuple(sorted(protocol.intervals, key=lambda interval: interval.name))),
        "freeze": to_json(tuple(sorted(protocol.freeze, key=lambda item: item.name))),
        "head": to_json(tuple(sorted(protocol.head))),
        "question": to_json(tuple(sorted(protocol.question))),
        "claims": to_json(tuple(sorted(protocol.claims, key=lambda claim: claim.name))),
    }


def _subject(subject: core.Subject) -> dict[str, Any]:
    return _fields(subject, *_LATER["Subject"]) | _later(subject)


def _output(output: core.Output) -> dict[str, Any]:
    return _fields(output, *_LATER["Output"]) | _later(output)


def _provider(provider: core.Provider) -> dict[str, Any]:
    return _fields(provider, *_LATER["Provider"]) | _later(provider)


def _statement(statement: core.Statement) -> dict[str, Any]:
    return _fields(statement, *_LATER["Statement"]) | _later(statement)


def _judgement(judgement: core.Judgement) -> dict[str, Any]:
    return _fields(judgement, *_LATER["Judgement"]) | _later(judgement)


def _phase(phase: core.Phase) -> dict[str, Any]:
    return _fields(phase, *_LATER["Phase"]) | _later(phase)


def _split(split: core.Split) -> dict[str, Any]:
    return _fields(split, *_LATER["Split"]) | _later(split)


def _freeze(item: core.Freeze) -> dict[str, Any]:
    return _fields(item, *_LATER["Freeze"]) | _later(item)


def _amendment(amendment: core.Amendment) -> dict[str, Any]:
    return _fields(amendment, *_LATER["Amendment"]) | _later(amendment)


def _later(value: object) -> dict[str, Any]:
    """Parts that the format got later stand in it only where they say something: older digests stay what they are."""
    given = {name: getattr(value, name) for name in _LATER[type(value).__name__]}
    return {name: _unordered(name, part) for name, part in given.items() if part}


def _unordered(name: str, part: Any) -> Any:
    if name in ("providers", "judgements"):
        part = tuple(sorted(part, key=lambda item: item.name))
    elif name == "hidden":
        part = tuple(sorted(part, key=lambda item: (item.table, item.column)))
    elif name == "manifest":
        part = replace(part, fields=tuple(sorted(part.fields, key=lambda item: item.path)))
    elif name == "outputs":
        part = tuple(sorted(part, key=lambda item: item.path))
    return to_json(part)


_LATER = {
    "Item": ("better",),
    "Table": ("within",),
    "Phase": (
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
    "Split": ("after", "cases", "status", "disjoint_from", "at_most"),
    "Protocol": ("target", "providers", "judgements", "outputs", "sealed", "hidden", "manifest", "parity"),
    "Judgement": ("choices", "marks", "follows", "raters"),
    "Freeze": ("measured", "copy"),
    "Subject": ("argv", "directory", "environment", "session", "files", "pool"),
    "Provider": ("sent_as",),
    "Output": ("of", "kept", "shows", "rejected", "digests"),
    "Statement": ("shown_by",),
    "Amendment": ("supersedes", "removes"),
}
_SPECIAL: dict[type, Callable[[Any], dict[str, Any]]] = {
    core.Item: _item,
    core.Type: _type,
    core.Col: _column,
    core.Table: _table,
    core.Protocol: _protocol,
    core.Subject: _subject,
    core.Provider: _provider,
    core.Output: _output,
    core.Statement: _statement,
    core.Amendment: _amendment,
    core.Judgement: _judgement,
    core.Freeze: _freeze,
    core.Phase: _phase,
    core.Split: _split,
}
