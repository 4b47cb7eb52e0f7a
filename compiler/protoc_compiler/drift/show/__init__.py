"""A report as people and programs read it; one module per form."""

from __future__ import annotations

from protoc_compiler.drift.accepted import Entry
from protoc_compiler.drift.model import Report

FORMATS = ("text", "markdown", "json", "github", "sarif")


def render(
    reports: list[tuple[Report, tuple[Entry, ...]]],
    form: str,
    *,
    color: bool = False,
    width: int = 100,
    level: str | None = None,
) -> str:
    """All reports in one of `FORMATS`, judged by a level of `--fail-on`; `color` and `width` matter to text alone."""
    if form == "text":
        from protoc_compiler.drift.show import text

        return "\n".join(
            text.render(report, entries, color=color, width=width, level=level) for report, entries in reports
        )
    if form == "markdown":
        from protoc_compiler.drift.show import markdown

        return "\n".join(markdown.render(report, entries, level) for report, entries in reports)
    if form == "json":
        from protoc_compiler.drift.show import json_

        return json_.render(reports, level)
    from protoc_compiler.drift.show import findings

    return findings.render(reports, form, level)
