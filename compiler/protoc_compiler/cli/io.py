"""The streams of one command, and how diagnostics are shown on them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from protoc_runtime.diagnostics import Diagnostic
from protoc_runtime.record import replace
from protoc_runtime.visible import on

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO

PROGRAMS = ("json", "github", "sarif")  # forms of diagnostics that are a result


class Io:
    """Results go to `out`, diagnostics and progress to `err`."""

    def __init__(self, stdin: IO[str], stdout: IO[str], stderr: IO[str]) -> None:
        self.stdin = stdin
        self.stdout = stdout
        self.stderr = stderr
        self.typed: dict[str, str] = {}

    def about(self, **given: object) -> None:
        """What the user typed for the words of a hint: `SPEC`, `RUN`."""
        self.typed = {name: value for name, value in given.items() if isinstance(value, str)}

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
            diagnostics = [own_words(item, self.typed) for item in diagnostics]
            shown = decorated(self.stderr)
            self.err(render(diagnostics, form, excerpts=shown, color=shown and not os.environ.get("NO_COLOR")))
        else:
            self.out(render(diagnostics, form))


def own_words(item: Diagnostic, typed: Mapping[str, str]) -> Diagnostic:
    """A diagnostic with what the user typed for SPEC and RUN in commands of its hint, and with paths as seen from here:
    without the current folder."""
    here, hint = _here(), item.hint
    for name, given in typed.items():
        if f" {name}" in hint:
            import re

            head, *rest = re.split(rf"(?<=[a-z]) {name}\b", hint)
            hint = "".join([head, *(f" {quoted(given)}{part}" for part in rest)])
    return replace(item, message=item.message.replace(here, ""), hint=hint.replace(here, ""))


def quoted(word: str) -> str:
    """A word as a shell reads it; with `$'...'` where it has characters that cannot be shown."""
    from shlex import quote

    if word.isprintable():
        return quote(word)
    return "$'" + "".join(map(_shown, word)) + "'"


def _shown(character: str) -> str:
    if character in "\\'":
        return f"\\{character}"
    if character.isprintable():
        return character
    return "".join(f"\\x{byte:02x}" for byte in character.encode("utf-8", "surrogateescape"))


def _here() -> str:
    """The current folder with its slash; "" where there is none any more, and for the root."""
    try:
        here = os.getcwd()
    except OSError:
        return ""
    return "" if here == "/" else here + "/"


def decorated(stream: IO[str]) -> bool:
    """Whether a stream gets source lines and carets: a terminal, or `FORCE_COLOR` set."""
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"
