"""Values that YAML cuts in two without a word: by ` #` (a comment) and by a comma in `{...}` and `[...]`.

A cut is seen where a value has an open quote or bracket and the cut-off part closes it. It is reported, and the value
is put together again, so that no later pass tells the same fault in other words.
"""

from __future__ import annotations

import re

from protoc_runtime.diagnostics import Findings, Span

from protoc_compiler.catalogue import source as kinds
from protoc_compiler.nodes import Node, Scalar
from protoc_compiler.places import straight

_COMMENT = re.compile(r"[ \t]+#")
_MARKS = re.compile(r'"[^"]*"|["()\[\]]')


def is_open(text: str) -> bool:
    """Whether a quote, parenthesis or bracket is opened in `text` and not closed."""
    if '"' not in text and "(" not in text and "[" not in text:
        return False
    depth = 0
    for mark in _MARKS.findall(text):
        if mark == '"':
            return True
        depth += (mark in "([") - (mark in ")]")
    return depth > 0


def comment(scalar: Scalar, text: str, start: int, end: int, findings: Findings) -> Scalar:
    """The scalar with what ` #` cut off, where that closes what is open in it; `start` and `end` index `text`."""
    if text[end : end + 1] not in (" ", "\t") or not is_open(scalar.text):
        return scalar
    stop = text.find("\n", end)
    line = text[end : len(text) if stop < 0 else stop]
    if not _COMMENT.match(line):
        return scalar
    ends = [found.start() for found in _COMMENT.finditer(line, 1)] + [len(line.rstrip())]
    for length in ends:
        if not is_open(scalar.text + line[:length]):
            findings.add(kinds.COMMENT_CUTS, scalar.span)
            return _longer(scalar, line[:length])
    return scalar


def entries(found: list[tuple[Scalar, Node]], findings: Findings) -> list[tuple[Scalar, Node]]:
    """The entries of a flow map, each value put together again with the keys without value that a comma made of it."""
    made: list[tuple[Scalar, Node]] = []
    at = 0
    while at < len(found):
        key, value = found[at]
        at += 1
        rest = [name for name, _ in _lone(found[at:])]
        joined = _joined(value, rest)
        if joined is not None:
            value, used = joined
            at += used
            findings.add(kinds.COMMA_CUTS, value.span)
        made.append((key, value))
    return made


def items(found: list[Node], findings: Findings) -> list[Node]:
    """The same for the items of a flow list."""
    made: list[Node] = []
    at = 0
    while at < len(found):
        item = found[at]
        at += 1
        joined = _joined(item, [part for part in found[at:] if isinstance(part, Scalar)])
        if joined is not None:
            item, used = joined
            at += used
            findings.add(kinds.COMMA_CUTS, item.span)
        made.append(item)
    return made


def _lone(found: list[tuple[Scalar, Node]]) -> list[tuple[Scalar, Node]]:
    for count, (_, value) in enumerate(found):
        if not (isinstance(value, Scalar) and value.style == "plain" and not value.text):
            return found[:count]
    return found


def _joined(value: Node, rest: list[Scalar]) -> tuple[Scalar, int] | None:
    if not isinstance(value, Scalar) or value.style != "plain" or not is_open(value.text):
        return None
    joined = value
    for count, part in enumerate(rest, 1):
        if part.span.line != value.span.end_line:
            return None
        gap = part.span.column - joined.span.end_column
        written = f'"{part.text}"' if part.style == "double" else part.text
        joined = _longer(joined, "," + " " * (gap - 1) + written)
        if not is_open(joined.text):
            return joined, count
    return None


def _longer(scalar: Scalar, tail: str) -> Scalar:
    line, column = scalar.places[-1]
    places = scalar.places[:-1] + straight(line, column, len(tail))
    span = Span(scalar.span.file, scalar.span.line, scalar.span.column, line, column + len(tail))
    return Scalar(scalar.text + tail, scalar.style, span, places)
