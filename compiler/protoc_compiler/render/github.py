"""Diagnostics as workflow commands of GitHub Actions, which show them beside the changed lines."""

from __future__ import annotations

from collections.abc import Sequence

from protoc_runtime.diagnostics import Diagnostic

_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}


def render(diagnostics: Sequence[Diagnostic]) -> str:
    """One `::error file=...::message` line each."""
    return "".join(_command(item) for item in diagnostics)


def _command(item: Diagnostic) -> str:
    properties = {"title": f"{item.id} {item.kind.name}"}
    if item.span:
        properties = {
            "file": item.span.file,
            "line": str(item.span.line),
            "endLine": str(item.span.end_line),
            "col": str(item.span.column),
            "endColumn": str(item.span.end_column),
            **properties,
        }
    listed = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    message = "\n".join([item.message, *([f"hint: {item.hint}"] if item.hint else [])])
    return f"::{_COMMANDS[item.severity]} {listed}::{_data(message)}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
