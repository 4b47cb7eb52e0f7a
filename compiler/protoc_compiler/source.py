"""The source pass: bytes to YAML nodes with positions, with every trap of YAML closed on the way.

Nothing is guessed from a scalar's look; `places` of a scalar are exact in every style. What could hold up or deceive
the tool (bombs, directives, tags, invisible characters) is refused before it costs anything.
"""

from __future__ import annotations

import codecs
import re
from itertools import islice

from protoc_compiler import characters, yaml_tree
from protoc_compiler.catalogue import source as kinds
from protoc_compiler.nodes import Mapping, Scalar
from protoc_runtime.diagnostics import Findings, Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

MAX_BYTES = 1 << 20
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_DIRECTIVE = "(?m)^%"  # these are compiled for a text that may have them
_TAB = "(?m)^ *\t[ \t]*(?=[^ \t\n])"


def read(source: bytes | Path | str, name: str, findings: Findings) -> Mapping | None:
    """The root map of a spec, or None where there is none to work with.

    `source` is the file's bytes or its path; `name` is the file's name in messages. After a fault that leaves the
    structure intact (a duplicate key, a tag) the map is still returned, so that later passes tell theirs too.
    """
    data = source if isinstance(source, bytes) else _load(source, name, findings)
    text = None if data is None else decode(data, name, findings)
    if text is None:
        return None
    before = len(findings)
    _check(text, name, findings)
    if len(findings) > before:
        return None
    root = yaml_tree.compose(text, name, findings)
    if isinstance(root, Mapping):
        if not text.isascii():
            from protoc_compiler import alike

            alike.check(root, findings)
        return root
    if root is None:
        return None
    if isinstance(root, Scalar) and not root.text:
        findings.add(kinds.EMPTY, Span(name, 1, 1, 1, 2))
    else:
        findings.add(kinds.NOT_A_MAP, root.span, found="one value" if isinstance(root, Scalar) else "a list")
    return None


def decode(data: bytes, name: str, findings: Findings) -> str | None:
    """The text without byte order mark and with LF line ends; None where the bytes are not a text of lawful size."""
    if len(data) > MAX_BYTES:
        findings.add(kinds.TOO_LARGE, None, limit=MAX_BYTES)
        return None
    if data.startswith(_UTF16_MARKS) or (len(data) > 1 and 0 in data[:2]):
        findings.add(kinds.UTF16, Span(name, 1, 1, 1, 2))
        return None
    try:
        text = data.removeprefix(codecs.BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError as fault:
        before = fault.object[: fault.start].decode("utf-8")
        findings.add(kinds.NOT_UTF8, _span(before, len(before), name), byte=f"0x{fault.object[fault.start]:02X}")
        return None
    text = text.replace("\r\n", "\n")
    return text if text.endswith("\n") else text + "\n"  # else the last block of lines would mean something else


def _load(path: Path | str, name: str, findings: Findings) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as fault:
        reason = fault.strerror if isinstance(fault, OSError) and fault.strerror else str(fault)
        findings.add(kinds.UNREADABLE, None, file=name, reason=reason)
        return None


def _check(text: str, name: str, findings: Findings) -> None:
    for char, start in characters.refused(text):
        kind = kinds.CONTROL if characters.is_control(char) else kinds.INVISIBLE
        findings.add(kind, _span(text, start, name), char=characters.describe(char))
    directives = re.finditer(_DIRECTIVE, text) if text.startswith("%") or "\n%" in text else ()
    for found in islice(directives, characters.MAX_REPORTS):
        findings.add(kinds.DIRECTIVE, _span(text, found.start(), name))
    tabs = re.finditer(_TAB, text) if "\t" in text else ()
    for found in islice(tabs, characters.MAX_REPORTS):
        findings.add(kinds.TAB, _span(text, text.index("\t", found.start()), name))


def _span(text: str, index: int, name: str) -> Span:
    line = text.count("\n", 0, index) + 1
    column = index - (text.rfind("\n", 0, index) + 1) + 1
    return Span(name, line, column, line, column + 1)
