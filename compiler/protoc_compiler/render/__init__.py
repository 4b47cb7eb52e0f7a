"""Diagnostics as people, programs, GitHub and code scanners read them; one module per form."""

from __future__ import annotations

from collections.abc import Sequence

from protoc_runtime.diagnostics import Diagnostic

FORMATS = ("text", "json", "github", "sarif")


def render(diagnostics: Sequence[Diagnostic], form: str, *, excerpts: bool = False, color: bool = False) -> str:
    """All diagnostics in one of `FORMATS`, ending in a line break unless there is nothing to say.

    `excerpts` (source lines with carets) and `color` matter to `text` alone.
    """
    if form == "text":
        from protoc_compiler.render import text

        return text.render(diagnostics, excerpts=excerpts, color=color)
    if form == "json":
        from protoc_compiler.render import json_

        return json_.render(diagnostics)
    if form == "github":
        from protoc_compiler.render import github

        return github.render(diagnostics)
    from protoc_compiler.render import sarif

    return sarif.render(diagnostics)
