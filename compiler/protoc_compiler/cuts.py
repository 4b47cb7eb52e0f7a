"""Values that YAML cuts in two without a word: by ` #` (a comment) and by a comma in `{...}` and `[...]`.

A cut is seen where a value has an open quote or bracket and the cut-off part closes it. It is reported, and the value
is put together again, so that no later pass tells the same fault in other words.
"""

from __future__ import annotations

import re
from itertools import islice

from protoc_compiler.catalogue import source as kinds
from protoc_compiler.nodes import Node, Scalar
from protoc_compiler.places import straight
from protoc_runtime.diagnostics import Findings, Span

_COMMENT = r"[ \t]+#"
MAX_LENGTH = 4_000
MAX_PARTS = 12  # of one value: nobody cuts a formula into more, and a hostile file shall not cost quadratic time
_CLOSING = frozenset(')]"')
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
    if not re.match(_COMMENT, line):
        return scalar
    ends = [found.start() + 1 for found in islice(re.finditer(_COMMENT, line[1:]), MAX_PARTS)] + [len(line.rstrip())]
    for length in ends:
        if not is_open(scalar.text + line[:length]):
            findings.add(kinds.COMMENT_CUTS, _sign(scalar, line))
            return _longer(scalar, line[:length])
    return scalar


def _sign(scalar: Scalar, line: str) -> Span:
    """The `#` behind the scalar."""
    at, column = scalar.places[-1]
    column += line.index("#")
    return Span(scalar.span.file, at, column, at, column + 1)


def entries(found: list[tuple[Scalar, Node]], findings: Findings) -> list[tuple[Scalar, Node]]:
    """The entries of a flow map; a key without a colon is what a comma has cut off the value before it."""
    made: list[tuple[Scalar, Node]] = []
    told = 0
    for key, value in found:
        if not made or not _is_lone(key, value):
            made.append((key, value))
            continue
        name, before = made[-1]
        joined = _join(before, key)
        if joined is None:
            made.append((key, value))
            continue
        made[-1] = (name, joined)
        if told < len(made):
            findings.add(kinds.COMMA_CUTS, _gap(before, key.span))
            told = len(made)
    return made


def items(found: list[Node], findings: Findings) -> list[Node]:
    """The same for the items of a flow list."""
    made: list[Node] = []
    at = 0
    while at < len(found):
        item = found[at]
        at += 1
        if isinstance(item, Scalar) and item.style == "plain" and is_open(item.text):
            joined = _joined(item, [part for part in found[at : at + MAX_PARTS] if isinstance(part, Scalar)])
            if joined is not None:
                findings.add(kinds.COMMA_CUTS, _gap(item, found[at].span))
                item, used = joined
                at += used
        made.append(item)
    return made


def _gap(before: Node, end: Span) -> Span:
    """From the comma to the end of the part behind it."""
    start = before.span
    return Span(end.file, start.end_line, start.end_column, end.end_line, end.end_column)


def _is_lone(key: Scalar, value: Node) -> bool:
    """Whether no colon stands behind the key."""
    return (
        isinstance(value, Scalar)
        and not value.text
        and value.style == "plain"
        and value.places[0] == (key.span.end_line, key.span.end_column)
    )


def _joined(value: Scalar, rest: list[Scalar]) -> tuple[Scalar, int] | None:
    """The value with as many of the following parts as close what is open in it, and how many these are."""
    if not any(not _CLOSING.isdisjoint(part.text) for part in rest):
        return None
    joined = value
    for count, part in enumerate(rest, 1):
        longer = _join(joined, part)
        if longer is None:
            return None
        if not _CLOSING.isdisjoint(part.text) and not is_open(longer.text):
            return longer, count
        joined = longer
    return None


def _join(value: Node, part: Scalar) -> Scalar | None:
    """A plain value, the comma behind it, and the next part on the same line."""
    if not isinstance(value, Scalar) or value.style != "plain" or not value.text:
        return None
    line, column = value.places[-1]
    if part.span.line != line or part.style == "single" or len(value.text) > MAX_LENGTH:
        return None
    written = f'"{part.text}"' if part.style == "double" else part.text
    return _longer(value, "," + " " * (part.span.column - column - 1) + written)


def _longer(scalar: Scalar, tail: str) -> Scalar:
    line, column = scalar.places[-1]
    places = (*scalar.places[:-1], *straight(line, column, len(tail)))
    span = Span(scalar.span.file, scalar.span.line, scalar.span.column, line, column + len(tail))
    return Scalar(scalar.text + tail, scalar.style, span, places)
