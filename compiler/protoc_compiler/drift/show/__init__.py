"""A report as people and programs read it; one module per form."""

from __future__ import annotations

from protoc_compiler.drift.accepted import Entry
from protoc_compiler.drift.model import Report

FORMATS = ("text", "markdown", "json", "github", "sarif")


def render(reports: list[tuple[Report, tuple[Entry, ...]]], form: str, *, color: bool = False, width: int = 100) -> str:
    """All reports in one of `FORMATS`; `color` and `width` matter to text alone."""
    if form == "text":
        from protoc_compiler.drift.show import text

        return "\n".join(text.render(report, entries, color=color, width=width) for report, entries in reports)
    if form == "markdown":
        from protoc_compiler.drift.show import markdown

        return "\n".join(markdown.render(report, entries) for report, entries in reports)
    if form == "json":
        from protoc_compiler.drift.show import json_

        return json_.render(reports)
    from protoc_compiler.drift.show import findings

    return findings.render(reports, form)
