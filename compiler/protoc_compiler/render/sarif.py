"""Diagnostics as SARIF 2.1.0, the exchange format of code scanners."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from protoc_runtime.diagnostics import Diagnostic, Kind, Related, Span
from protoc_runtime.version import __version__

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def render(diagnostics: Sequence[Diagnostic]) -> str:
    """One log with one run; its rules are the kinds that occur."""
    kinds = sorted({item.kind.id: item.kind for item in diagnostics}.values(), key=lambda kind: kind.id)
    index = {kind.id: at for at, kind in enumerate(kinds)}
    driver = {"name": "protoc", "version": __version__, "rules": [_rule(kind) for kind in kinds]}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(item, index[item.id]) for item in diagnostics],
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, ensure_ascii=False, indent=2) + "\n"


def _rule(kind: Kind) -> dict[str, Any]:
    return {
        "id": kind.id,
        "name": "".join(part.capitalize() for part in kind.name.split("-")),
        "shortDescription": {"text": kind.name.replace("-", " ")},
        "fullDescription": {"text": kind.why},
        "defaultConfiguration": {"level": kind.severity},
    }


def _result(item: Diagnostic, rule: int) -> dict[str, Any]:
    text = f"{item.message}\n{item.hint}" if item.hint else item.message
    result: dict[str, Any] = {
        "ruleId": item.id,
        "ruleIndex": rule,
        "level": item.severity,
        "message": {"text": text},
    }
    if item.span:
        result["locations"] = [{"physicalLocation": _place(item.span)}]
    if item.related:
        result["relatedLocations"] = [_related(at, related) for at, related in enumerate(item.related)]
    return result


def _related(at: int, related: Related) -> dict[str, Any]:
    return {"id": at, "physicalLocation": _place(related.span), "message": {"text": related.message}}


def _place(span: Span) -> dict[str, Any]:
    path = Path(span.file)
    uri = path.as_uri() if path.is_absolute() else quote(os.fsencode(path.as_posix()))
    region = {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }
    return {"artifactLocation": {"uri": uri}, "region": region}
