"""Marks of a merge conflict in a registry: what git writes where `registry.jsonl merge=union` is not set.

Lines are only ever added, and their order means nothing, so the registry of two clones is the lines of both. What git
calls a conflict here is that both have added some; taking the marks away is all that is to be done.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from protoc_runtime.catalogue import registry as kinds
from protoc_runtime.diagnostics import Findings, Refused, Span
from protoc_runtime.double_readings import doubles
from protoc_runtime.registry_lines import parsed

_MARKS = (b"<<<<<<<", b"|||||||", b"=======", b">>>>>>>")


def marks(content: bytes) -> list[int]:
    """The numbers of the lines that are marks; a line of a registry begins with `{`."""
    return [number for number, line in enumerate(content.split(b"\n"), 1) if line.startswith(_MARKS)]


def refuse_marks(path: Path, content: bytes) -> None:
    """Raise `Refused` (E1312) where there are marks, with what both sides have read."""
    found = marks(content)
    if found:
        shown = ", ".join(map(str, found[:3])) + (", ..." if len(found) > 3 else "")
        span, read = Span(str(path), found[0], 1, found[0], 2), _read(path, lines_of_both(content))
        raise Refused([Findings().add(kinds.CONFLICT, span, path=path, lines=shown, read=read)])


def lines_of_both(content: bytes) -> bytes:
    """Every line but the marks, each once; a last line may lack its end."""
    lines = dict.fromkeys(line.removesuffix(b"\r") for line in content.split(b"\n") if not line.startswith(_MARKS))
    lines.pop(b"", None)
    return b"".join(line + b"\n" for line in lines)


def _read(path: Path, content: bytes) -> str:
    """In words, the splits that may be read once and were read on both sides."""
    try:
        found = list(doubles(path, parsed(path, content)))
    except Refused as refused:
        return f"the lines of both do not hold together: {refused.diagnostics[0].message}"
    return "; ".join(_told(found)) or "no split that may be read once was read on both sides"


def _told(found: list[tuple[str, str, str, str]]) -> Iterator[str]:
    for split, first, second, how in found:
        yield f"split {split} was read on both sides ({how}): {first}; and {second}"
