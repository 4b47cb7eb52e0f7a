"""Diagnostics for programs: the JSON of `check`, whose schema `protoc schema --for diagnostics` prints."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from protoc_runtime.diagnostics import Diagnostic, Span


def render(diagnostics: Sequence[Diagnostic]) -> str:
    """One JSON document with every diagnostic."""
    document = {"diagnostics": [_object(item) for item in diagnostics]}
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def _object(item: Diagnostic) -> dict[str, Any]:
    return {
        "id": item.id,
        "name": item.kind.name,
        "severity": item.severity,
        **_place(item.span),
        "message": item.message,
        "hint": item.hint,
        "related": [
            {
                "file": related.span.file,
                "line": related.span.line,
                "column": related.span.column,
                "message": related.message,
            }
            for related in item.related
        ],
    }


def _place(span: Span | None) -> dict[str, Any]:
    """The keys of a place; null where a diagnostic belongs to no place in a file."""
    if span is None:
        return dict.fromkeys(("file", "line", "column", "end_line", "end_column"))
    return {
        "file": span.file,
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": span.end_column,
    }


def schema() -> dict[str, Any]:
    """The JSON Schema of that document."""
    position = {"type": ["integer", "null"], "minimum": 1}
    file = {"type": ["string", "null"]}
    texts = {"message": {"type": "string"}, "hint": {"type": "string"}}
    start = {"file": {"type": "string"}, "line": {"type": "integer"}, "column": {"type": "integer"}}
    related = closed({**start, "message": {"type": "string"}})
    item = closed(
        {
            "id": {"type": "string", "pattern": "^[EWN][0-9]{4}$"},
            "name": {"type": "string", "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$"},
            "severity": {"enum": ["error", "warning", "note"]},
            "file": file,
            **dict.fromkeys(("line", "column", "end_line", "end_column"), position),
            **texts,
            "related": {"type": "array", "items": related},
        }
    )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The diagnostics of protoc check",
        **closed({"diagnostics": {"type": "array", "items": item}}),
    }


def closed(properties: dict[str, Any]) -> dict[str, Any]:
    """The schema of an object that has each of these keys and no other."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
