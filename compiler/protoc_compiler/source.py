"""The source pass: bytes to YAML nodes with positions, with every trap of YAML closed on the way.

Nothing is guessed from a scalar's look; `places` of a scalar are exact in every style. What could hold up or deceive
the tool (bombs, directives, tags, invisible characters) is refused before it costs anything.
"""

from __future__ import annotations

import codecs
import re
from pathlib import Path

from protoc_runtime.diagnostics import Findings, Span

from protoc_compiler import yaml_tree
from protoc_compiler.catalogue import source as kinds
from protoc_compiler.nodes import Mapping, Scalar

MAX_BYTES = 1 << 20
MAX_REPORTS = 20  # of one kind of bad character; a binary file would give thousands
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u070f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800"
    "\u3164\ue000-\uf8ff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff\U000f0000-\U0010ffff]"
)
_DIRECTIVE = re.compile("^%", re.MULTILINE)
_TAB = re.compile("^ *\t[ \t]*(?=[^ \t\n])", re.MULTILINE)


def read(source: bytes | Path | str, name: str, findings: Findings) -> Mapping | None:
    """The root map of a spec, or None where there is none to work with.

    `source` is the file's bytes or its path; `name` is the file's name in messages. After a fault that leaves the
    structure intact (a duplicate key, an anchor) the map is still returned, so that later passes tell theirs too.
    """
    data = source if isinstance(source, bytes) else _load(Path(source), name, findings)
    text = None if data is None else decode(data, name, findings)
    if text is None:
        return None
    before = len(findings)
    _check_characters(text, name, findings)
    _check_lines(text, name, findings)
    if len(findings) > before:
        return None
    root = yaml_tree.compose(text, name, findings)
    if root is None or isinstance(root, Mapping):
        return root
    if isinstance(root, Scalar) and not root.text:
        findings.add(kinds.EMPTY, Span(name, 1, 1, 1, 2))
    else:
        findings.add(kinds.NOT_A_MAP, root.span, found="one value" if isinstance(root, Scalar) else "a list")
    return None


def decode(data: bytes, name: str, findings: Findings) -> str | None:
    """The text without byte order mark and with LF line ends; None where the bytes are not a text of lawful size."""
    if len(data) > MAX_BYTES:
        findings.add(kinds.TOO_LARGE, None, size=len(data), limit=MAX_BYTES)
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
    return text.replace("\r\n", "\n")


def _load(path: Path, name: str, findings: Findings) -> bytes | None:
    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as fault:
        reason = fault.strerror if isinstance(fault, OSError) and fault.strerror else str(fault)
        findings.add(kinds.UNREADABLE, None, file=name, reason=reason)
        return None


def _check_characters(text: str, name: str, findings: Findings) -> None:
    for pattern, kind in ((_CONTROL, kinds.CONTROL), (_INVISIBLE, kinds.INVISIBLE)):
        if pattern is _INVISIBLE and text.isascii():
            continue
        for count, found in enumerate(pattern.finditer(text)):
            if count == MAX_REPORTS:
                break
            findings.add(kind, _span(text, found.start(), name), char=describe(found.group()))


def _check_lines(text: str, name: str, findings: Findings) -> None:
    for pattern, kind in ((_DIRECTIVE, kinds.DIRECTIVE), (_TAB, kinds.TAB)):
        for count, found in enumerate(pattern.finditer(text)):
            if count == MAX_REPORTS:
                break
            findings.add(kind, _span(text, found.group().find("\t") + found.start() if kind is kinds.TAB
                                     else found.start(), name))


def check_value(scalar: Scalar, findings: Findings) -> None:
    """Refuse characters that an escape in a quoted text has made."""
    for pattern, kind in ((_CONTROL, kinds.CONTROL), (_INVISIBLE, kinds.INVISIBLE)):
        for found in pattern.finditer(scalar.text):
            findings.add(kind, scalar.at(found.start(), found.end()), char=describe(found.group()))


def describe(char: str) -> str:
    """`U+202E RIGHT-TO-LEFT OVERRIDE`."""
    import unicodedata

    return f"U+{ord(char):04X} {unicodedata.name(char, '')}".rstrip()


def _span(text: str, index: int, name: str) -> Span:
    line = text.count("\n", 0, index) + 1
    column = index - (text.rfind("\n", 0, index) + 1) + 1
    return Span(name, line, column, line, column + 1)
