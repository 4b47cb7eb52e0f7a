"""The YAML tree with positions: what the source pass makes and the document pass reads.

Scalars stay text: nothing is guessed from their look. A scalar knows where each of its characters stands in the file,
so that a fault inside a formula is shown under the right column, in plain, quoted and block style.
"""

from __future__ import annotations

from protoc_compiler.places import Places, Straight
from protoc_runtime.diagnostics import Span
from protoc_runtime.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

Style: TypeAlias = 'Literal["plain", "single", "double", "literal", "folded"]'
_SHOWN = 120  # characters of a value that a message repeats


def brief(text: str) -> str:
    """A value as a message repeats it: the beginning of a long one."""
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


@record
class Scalar:
    """One scalar. `places[i]` is the (line, column) of `text[i]`; one more entry marks the end."""

    text: str
    style: Style
    span: Span
    places: Places

    def at(self, start: int, end: int) -> Span:
        """The span of `text[start:end]`."""
        places = self.places
        if type(places) is Straight:  # nearly all are, and each node of a formula asks
            length, line = places.length, places.line
            column, end_column = places.column + min(start, length), places.column + min(end, length)
            return Span(self.span.file, line, column, line, end_column if end_column > column else column + 1)
        last = len(places) - 1
        line, column = places[min(start, last)]
        end_line, end_column = places[min(end, last)]
        if (end_line, end_column) <= (line, column):
            end_line, end_column = line, column + 1
        return Span(self.span.file, line, column, end_line, end_column)


@record
class Mapping:
    """Keys in file order; keys are unique scalars (the source pass refuses others)."""

    entries: tuple[tuple[Scalar, Node], ...]
    span: Span

    def get(self, key: str) -> Node | None:
        """The value of `key`, or None."""
        for name, value in self.entries:
            if name.text == key:
                return value
        return None

    def key(self, key: str) -> Scalar | None:
        """The key scalar itself, for its position."""
        return next((name for name, _ in self.entries if name.text == key), None)


@record
class Sequence:
    """A list."""

    items: tuple[Node, ...]
    span: Span


Node = Scalar | Mapping | Sequence
