"""Diagnostics for people: one line each that editors can follow, its hint, and on a terminal the source with carets."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from protoc_runtime.diagnostics import Diagnostic, Span
from protoc_runtime.visible import visible

_COLORS = {"error": "31", "warning": "33", "note": "36"}
_WIDTH = 160


def render(diagnostics: Sequence[Diagnostic], *, excerpts: bool, color: bool) -> str:
    """`file:line:column: ID name message`, then what belongs to it, indented."""
    sources = Sources()
    blocks = [_block(item, sources if excerpts else None, color) for item in diagnostics]
    return ("\n" if excerpts else "").join(blocks)


def summary(diagnostics: Sequence[Diagnostic], specs: int) -> str:
    """How many of each severity, in one line."""
    counts = []
    for severity in ("error", "warning", "note"):
        number = sum(item.severity == severity for item in diagnostics)
        if number:
            counts.append(f"{number} {severity}{'s' if number > 1 else ''}")
    checked = f"{specs} protocol{'s' if specs != 1 else ''} checked"
    return f"{checked}: {', '.join(counts) or 'no findings'}\n"


class Sources:
    """Lines of the files that diagnostics point into, read once."""

    def __init__(self) -> None:
        self._lines: dict[str, list[str]] = {}

    def line(self, span: Span) -> str | None:
        """The line on which a span starts, or None where the file cannot be read."""
        if span.file not in self._lines:
            try:
                with open(span.file, "rb") as file:
                    text = file.read().decode("utf-8-sig", errors="replace")
            except OSError:
                text = ""
            self._lines[span.file] = re.split(r"\r\n|\n|\r", text)
        lines = self._lines[span.file]
        return lines[span.line - 1] if 0 < span.line <= len(lines) and lines != [""] else None


def _block(item: Diagnostic, sources: Sources | None, color: bool) -> str:
    place = f"{_place(item.span)}: " if item.span else ""
    code = _paint(item.id, _COLORS[item.severity] + ";1", color)
    lines = [f"{_paint(place, '1', color)}{code} {item.kind.name} {visible(item.message)}"]
    if item.span and sources:
        lines += _excerpt(item.span, sources, _COLORS[item.severity], color)
    if item.hint:
        lines.append(f"  {_paint('hint:', '1', color)} {visible(item.hint)}")
    for related in item.related:
        lines.append(f"  {_paint('see:', '1', color)} {_place(related.span)}: {visible(related.message)}")
        if sources:
            lines += _excerpt(related.span, sources, _COLORS["note"], color)
    return "\n".join(lines) + "\n"


def _place(span: Span) -> str:
    return f"{visible(span.file)}:{span.line}:{span.column}"


def _paint(text: str, code: str, color: bool) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if color and text else text


def _excerpt(span: Span, sources: Sources, code: str, color: bool) -> list[str]:
    line = sources.line(span)
    if line is None:
        return []
    start = span.column - 1
    end = span.end_column - 1 if span.end_line == span.line else len(line.rstrip())
    # A very long line is cut to a window around the place.
    first = max(0, start - _WIDTH // 2) if len(line) > _WIDTH else 0
    shown = line[first : first + _WIDTH]
    before = visible(line[first:start])
    marked = visible(line[start : min(max(end, start + 1), first + _WIDTH)])
    number = f"{span.line:>4}"
    carets = " " * _columns(before) + _paint("^" * max(1, _columns(marked)), code + ";1", color)
    gutter = " " * len(number)
    return [f"{gutter} |", f"{number} | {visible(shown)}".rstrip(), f"{gutter} | {carets}"]


def _columns(text: str) -> int:
    """How many terminal cells a text takes."""
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) != 0 for c in text)
