"""The streams of one command, and how diagnostics are shown on them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import IO

from protoc_runtime.diagnostics import Diagnostic
from protoc_runtime.visible import on


class Io:
    """Results go to `out`, diagnostics and progress to `err`."""

    def __init__(self, stdin: IO[str], stdout: IO[str], stderr: IO[str]) -> None:
        self.stdin = stdin
        self.stdout = stdout
        self.stderr = stderr

    def out(self, text: str) -> None:
        """A part of the result; for a program as it is, on a terminal with nothing that could steer it."""
        self.stdout.write(on(self.stdout, text))

    def err(self, text: str) -> None:
        """A message for the person who waits, as it is."""
        self.stderr.write(text)

    def diagnose(self, diagnostics: Sequence[Diagnostic], form: str = "text") -> None:
        """Show diagnostics: text beside the result, the forms for programs as the result."""
        if form == "text" and not diagnostics:
            return
        from protoc_compiler.render import render

        if form == "text":
            shown = decorated(self.stderr)
            self.err(render(diagnostics, form, excerpts=shown, color=shown and not os.environ.get("NO_COLOR")))
        else:
            self.out(render(diagnostics, form))


def decorated(stream: IO[str]) -> bool:
    """Whether a stream gets source lines and carets: a terminal, or `FORCE_COLOR` set."""
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"
