"""The JSON Schema of the JSON of `protoc score`, whatever the protocol; a package has a narrower one of its own."""

from __future__ import annotations

from typing import Any

from protoc_compiler.emit.schemas import DRAFT, NAMED
from protoc_runtime.results import SCHEMA, SPACES

_COUNT = {"anyOf": [{"type": "integer"}, {"type": "string", "pattern": "^-?[0-9]+$"}]}  # text beyond 2^53 - 1
_EXACT = {
    "type": "object",
    "properties": {"num": _COUNT, "den": _COUNT, "unit": {"type": "string"}},
    "required": ["num", "den"],
    "additionalProperties": False,
}
_REAL = {
    "type": "object",
    "properties": {"float": {"type": "string"}, "why": {"type": "string"}},
    "required": ["float", "why"],
    "additionalProperties": False,
}
_VALUE = {
    "anyOf": [
        {"type": ["null", "boolean", "string"]},
        _EXACT,
        _REAL,
        {"type": "array", "items": {"$ref": "#/$defs/value"}},
    ]
}


def schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of the document. The `summary.json` of a bundle meets it too, but for keys that a
    run adds."""
    texts = {"type": "array", "items": {"type": "string"}}
    rule = {"type": "object", "additionalProperties": {"type": ["boolean", "null"]}}
    values = {"type": "object", "additionalProperties": {"$ref": "#/$defs/value"}}
    spaces = {space: rule if space in ("blockers", "gates", "checks") else values for space in SPACES}
    always = {
        "schema": {"const": SCHEMA},
        "protocol": {"type": "string"},
        "version": {"type": "integer", "minimum": 1},
        "spec_digest": {"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"},
        **spaces,
        "verdict": {"type": ["string", "null"]},
        "released": {"type": "boolean"},
        "reasons": texts,
        "withheld": texts,
    }
    sometimes = {
        "outside": texts,
        "pending": {"type": "object", "additionalProperties": texts},
        "rows": {"type": "array", "items": NAMED},
    }
    return {
        "$schema": DRAFT,
        "title": "What protoc score found",
        "type": "object",
        "properties": always | sometimes,
        "required": list(always),
        "$defs": {"value": _VALUE},
    }
