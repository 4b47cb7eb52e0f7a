"""`schemas/*.json` of a generated package: JSON Schema (draft 2020-12) of each table's rows and of the summary."""

from __future__ import annotations

from typing import Any

from protoc_compiler import core
from protoc_compiler.emit import rows
from protoc_runtime.declared import Type
from protoc_runtime.reading.layout import Field, Layout
from protoc_runtime.reading.values import INVISIBLE
from protoc_runtime.tables import EXACT_INT

DRAFT = "https://json-schema.org/draft/2020-12/schema"
SUMMARY = "summary"
PENDING = "PENDING"  # the verdict so far, where people must still label
_TIME = r"^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)$"
_DIGEST = "^([0-9a-f]{40}|(sha256:)?[0-9a-f]{64})$"

_SCHEMAS: dict[str, dict[str, Any]] = {
    "bool": {"type": "boolean"},
    "int": {"type": "integer", "minimum": -EXACT_INT, "maximum": EXACT_INT},
    "number": {"type": "number"},
    "quantity": {"type": "number"},
    "text": {"type": "string"},
    "time": {"type": "string", "format": "date-time", "pattern": _TIME.replace(r"\d", "[0-9]")},
    "date": {"type": "string", "format": "date", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"},
    "digest": {"type": "string", "pattern": _DIGEST},
    "any": {"type": ["boolean", "number", "string", "array", "object"]},
}


def render(protocol: core.Protocol) -> dict[str, dict[str, Any]]:
    """The schemas by name: one per table and record, and `summary`."""
    made = {_file(table.name): _table(table, protocol) for table in rows.of(protocol)}
    return made | {SUMMARY: summary(protocol)}


def _file(table: str) -> str:
    return f"{table}.rows" if table == SUMMARY else table


def _table(table: rows.Rows, protocol: core.Protocol) -> dict[str, Any]:
    head = {"$schema": DRAFT, "title": f"{protocol.title}: {table.name}", "description": rows.words(table)}
    return head | _object(table.layout)


def _object(layout: Layout) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {field.stored: _field(field) for field in layout.fields},
        "required": [field.stored for field in layout.fields],
        "additionalProperties": False,
    }


def _field(field: Field) -> dict[str, Any]:
    if field.nested is not None:
        return {"type": "array", "items": _object(field.nested)}
    made = _type(field.type)
    if field.key and field.type.kind == "text":
        made["pattern"] = f"^[^{_escaped(INVISIBLE)}]*$"
    if field.optional:
        made = _or_null(made)
    words = "; ".join(part for part in (field.says, f"a key of {field.target}" if field.target else "") if part)
    return {"description": words} | made if words else made


def _type(kind: Type) -> dict[str, Any]:
    if kind.kind == "enum":
        return {"enum": list(kind.members)}
    if kind.item is not None:
        made: dict[str, Any] = {"type": "array", "items": _type(kind.item)}
        return made | {"uniqueItems": True} if kind.kind == "set" else made
    made = dict(_SCHEMAS[kind.kind])
    if kind.kind == "quantity":
        made["description"] = f"in {kind.shown or kind.unit}"
    return made


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    if "enum" in schema:
        return schema | {"enum": [*schema["enum"], None]}
    types = schema["type"]
    return schema | {"type": [*(types if isinstance(types, list) else [types]), "null"]}


def _escaped(characters: str) -> str:
    return "".join(char if char.isascii() and char.isprintable() else f"\\u{ord(char):04x}" for char in characters)


# --- the summary --------------------------------------------------------------------------------------------------


def summary(protocol: core.Protocol) -> dict[str, Any]:
    """The schema of `summary.json` and of the JSON of `score`; a bundle's summary has more keys."""
    ratio = {"type": "object", "properties": {"num": {}, "den": {}}, "required": ["num", "den"]}
    real = {"type": "object", "properties": {"float": {"type": "string"}}, "required": ["float"]}
    rule = {"type": ["boolean", "null"]}
    verdicts = protocol.of("verdict")
    words = [*(verdicts[0].words if verdicts else ()), PENDING]
    return {
        "$schema": DRAFT,
        "title": f"{protocol.title}: the result",
        "type": "object",
        "properties": {
            "schema": {"const": "protoc/score/1"},
            "protocol": {"const": protocol.id},
            "version": {"const": protocol.version},
            "spec_digest": {"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"},
            "metrics": {
                "type": "object",
                "additionalProperties": {
                    "anyOf": [{"type": "null"}, {"type": "boolean"}, {"type": "string"}, ratio, real]
                },
                "required": _single(protocol, "metrics"),
            },
            "blockers": {"type": "object", "additionalProperties": rule, "required": _single(protocol, "blockers")},
            "gates": {"type": "object", "additionalProperties": rule, "required": _single(protocol, "gates")},
            "verdict": {"enum": [*dict.fromkeys(words), None]},
            "released": {"type": "boolean"},
            "verdicts": {"type": "object", "additionalProperties": {"type": ["string", "boolean", "null"]}},
            "lists": {"type": "object"},
            "reasons": {"type": "array", "items": {"type": "string"}},
            "rows": {"type": "array", "items": NAMED},
        },
        "required": [
            "schema",
            "protocol",
            "version",
            "spec_digest",
            "metrics",
            "blockers",
            "gates",
            "verdict",
            "released",
        ],
    }


NAMED = {  # the rows that made a rule fail
    "type": "object",
    "properties": {
        "space": {"enum": ["blockers", "gates"]},
        "rule": {"type": "string"},
        "part": {"type": "string"},
        "table": {"type": "string"},
        "has": {"type": ["boolean", "null"]},
        "rows": {"type": "integer"},
        "of": {"type": "integer"},
        "first": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["space", "rule", "table", "has", "rows", "first"],
}


def _single(protocol: core.Protocol, space: str) -> list[str]:
    """The items that have one value for the study; the others have one entry per row of a table."""
    return [item.name for item in protocol.of(space) if not item.per]
