"""Canonical indentation of a spec, line by line: two columns per level, list items two columns inside their key.

Works on the lines themselves, so that comments, blank lines, alignment within a line and the style of every value stay
as the author wrote them.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from protoc_compiler.nodes import Mapping, Node, Scalar, Sequence
from protoc_runtime.record import record

STEP = 2
MAX_WIDTH = 1 << 20
_HEADER_DIGIT = re.compile(r"[|>][+-]?([1-9])")


@record
class _Owner:
    """The entry that a value belongs to: its new and old column and its line."""

    column: int
    old: int
    line: int


class Indenter:
    """Finds the new start of each line; `apply` gives the new lines.

    Line numbers count from 0 here. `starts[line]` is the new text before the first token and the index in the old
    line from which on it is kept; `levels[line]` is the new column of the entry that the line belongs to; `verbatim`
    lines are inside a quoted or block scalar, where trailing spaces can mean something.
    """

    def __init__(self, lines: list[str], root: Node) -> None:
        self.lines = lines
        self.starts: dict[int, tuple[str, int]] = {}
        self.levels: dict[int, int] = {}
        self.inside: set[int] = set()  # lines whose blank neighbours belong to a scalar
        self.verbatim: set[int] = set()
        self.keeping: set[int] = set()  # ends of block scalars that keep the blank lines behind them
        self.node(root, 0, _Owner(0, 0, root.span.line - 1))

    def apply(self) -> list[str]:
        """The lines with their new indentation, comments included, without trailing spaces outside of scalars."""
        self.comments()
        made = []
        for number, line in enumerate(self.lines):
            prefix, kept = self.starts.get(number, ("", 0))
            new = prefix + line[kept:]
            made.append(new if number in self.verbatim else new.rstrip(" \t"))
        return made

    def node(self, node: Node, column: int, owner: _Owner) -> None:
        """Place the value of an entry; a block map or list goes to the new column `column`."""
        if isinstance(node, Scalar):
            self.scalar(node, owner)
        elif is_flow(self.lines, node):
            self.flow(node, owner)
        elif isinstance(node, Mapping):
            self.mapping(node, column)
        else:
            self.sequence(node, column)

    def mapping(self, node: Mapping, column: int) -> None:
        """Move the keys of a mapping to a column, and what stands below them along."""
        for key, value in node.entries:
            line, old = key.span.line - 1, key.span.column - 1
            self.starts.setdefault(line, (" " * column, old))
            self.levels.setdefault(line, column)
            self.node(value, column + STEP, _Owner(column, old, line))

    def sequence(self, node: Sequence, column: int) -> None:
        """Move the dashes of a sequence to a column, and its items along."""
        dash = node.span.column - 1
        for item in node.items:
            line = start = item.span.line - 1
            while self.lines[line][dash : dash + 1] != "-" or self.lines[line][:dash].strip(" -"):
                line -= 1
            before = self.starts[line][0] if line in self.starts else " " * column
            empty = isinstance(item, Scalar) and not item.text and item.style == "plain"
            beside = line == start and not empty
            self.starts[line] = (before + "- ", item.span.column - 1) if beside else (before, dash)
            self.levels.setdefault(line, column)
            self.node(item, column + STEP, _Owner(column, dash, line))

    def scalar(self, node: Scalar, owner: _Owner) -> None:
        """Move the lines of a scalar below the line of its owner; quoted lines keep what is between quotes."""
        first, last = node.span.line - 1, node.places[-1][0] - 1
        if node.style in ("literal", "folded"):
            self.block(node, owner)
            return
        self.interior(owner.line + 1, last, owner)
        self.inside.update(range(first, last))
        if node.style != "plain":
            self.verbatim.update(range(first, last))

    def interior(self, first: int, last: int, owner: _Owner) -> None:
        """Put the lines of a value that are below its entry one level deeper."""
        for number in range(first, last + 1):
            text = self.lines[number]
            self.levels[number] = owner.column
            if text.strip(" \t"):
                self.starts[number] = (" " * (owner.column + STEP), len(text) - len(text.lstrip(" \t")))

    def block(self, node: Scalar, owner: _Owner) -> None:
        """Move the lines of a literal or folded text, each as far as its first."""
        first, last = node.span.line - 1, node.places[-1][0] - 1
        header = self.lines[first][node.span.column - 1 :]
        self.interior(owner.line + 1, first, owner)
        filled = [text for text in self.lines[first + 1 : last + 1] if text.strip(" ")]
        digit = _HEADER_DIGIT.match(header)
        step = int(digit.group(1)) if digit else STEP
        old = owner.old + step if digit else _indentation(filled[0]) if filled else MAX_WIDTH
        for number in range(first + 1, last + 1):
            self.levels[number] = owner.column
            self.starts[number] = (" " * (owner.column + step) if len(self.lines[number]) > old else "", old)
        self.verbatim.update(range(first + 1, last + 1))
        if "+" in header.split("#")[0]:
            self.keep(last)
        self.inside.update(range(first, last))

    def keep(self, last: int) -> None:
        """Leave the blank lines behind a block scalar that keeps them."""
        while last + 1 < len(self.lines) and not self.lines[last + 1].strip(" "):
            self.keeping.add(last)
            last += 1
        self.keeping.add(last)

    def flow(self, node: Mapping | Sequence, owner: _Owner) -> None:
        """Move the lines of a collection in brackets along with its owner."""
        first, last = node.span.line - 1, node.span.end_line - 1
        self.interior(owner.line + 1, first, owner)
        shift = owner.column - owner.old
        for number in range(first + 1, last + 1):
            old = _indentation(self.lines[number])
            self.levels[number] = owner.column
            self.starts[number] = (" " * max(old + shift, owner.column + STEP), old)
        self.quoted(node)

    def quoted(self, node: Node) -> None:
        """Mark the lines of scalars inside braces and brackets."""
        if isinstance(node, Scalar):
            lines = range(node.span.line - 1, node.span.end_line - 1)
            self.inside.update(lines)
            if node.style != "plain":
                self.verbatim.update(lines)
            return
        for part in node.items if isinstance(node, Sequence) else [value for _, value in node.entries]:
            self.quoted(part)

    def comments(self) -> None:
        """A comment goes with the entry below it, or, where it stands deeper than that one, with the one above."""
        placed = sorted(self.starts)
        for number, line in enumerate(self.lines):
            if number in self.levels or not line.lstrip(" \t").startswith("#"):
                continue
            old, at = _indentation(line), bisect_right(placed, number)
            below = placed[at] if at < len(placed) else None
            under = 0 if below is None else self.levels[below]
            if at and old > (0 if below is None else _indentation(self.lines[below])):
                under = max(self.levels[placed[at - 1]], under)
            self.starts[number] = (" " * under, old)


def is_flow(lines: list[str], node: Mapping | Sequence) -> bool:
    """Whether a map or list is written with braces or brackets."""
    at = node.span.column - 1
    return lines[node.span.line - 1][at : at + 1] in ("{", "[")


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
