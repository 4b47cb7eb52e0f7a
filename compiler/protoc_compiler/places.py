"""Where each character of a scalar stands in the file, in every YAML style.

The YAML reader gives a scalar's value and where it begins and ends. The raw text between is cut into segments, one per
line, whose characters stand in the value as they are (escapes decoded); between two segments the value holds only what
folding puts there. Lines and columns are 1-based, in code points.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import overload

Place = tuple[int, int]
Char = tuple[str, Place]

_ESCAPE_LENGTH = {"x": 4, "u": 6, "U": 10}
_ESCAPES = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b",
    " ": " ", '"': '"', "/": "/", "\\": "\\", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip


class Straight:
    """The places of characters in a row on one line, and of their end: few are ever asked for."""

    __slots__ = ("column", "length", "line")

    def __init__(self, line: int, column: int, length: int) -> None:
        self.line = line
        self.column = column
        self.length = length

    def __iter__(self) -> Iterator[Place]:
        return zip(repeat(self.line), range(self.column, self.column + self.length + 1), strict=False)

    def __len__(self) -> int:
        return self.length + 1

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, at: int) -> Place: ...
        @overload
        def __getitem__(self, at: slice) -> Straight: ...

    def __getitem__(self, at: int | slice) -> Place | Straight:
        columns = range(self.column, self.column + self.length + 1)
        if isinstance(at, int):
            return (self.line, columns[at])
        return Straight(self.line, columns[at].start, len(columns[at]) - 1)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Straight) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[int, int, int]:
        return (self.line, self.column, self.length)


def straight(line: int, column: int, length: int) -> Straight:
    """The places of `length` characters in a row, and the end."""
    return Straight(line, column, length)


Places = tuple[Place, ...] | Straight


def places(value: str, style: str, raw: str, start: Place) -> Places:
    """The place of each character of `value`, and of its end; `raw` is the scalar as written, from `start` on."""
    if "\n" not in raw:
        if style == "plain":
            return Straight(*start, len(value))
        if len(raw) == len(value) + 2 and (style == "single" or style == "double"):
            return Straight(start[0], start[1] + 1, len(value))
    return _align(value, _segments(value, style, raw, start), start)


def _segments(value: str, style: str, raw: str, start: Place) -> list[list[Char]]:
    lines = raw.split("\n")
    if style in ("literal", "folded"):
        return _block(value, lines, start)
    inner = lines if style == "plain" else _unquoted(lines)
    first = start[1] if style == "plain" else start[1] + 1
    decode = {"plain": _as_is, "single": _single, "double": _double}[style]
    found = []
    for number, line in enumerate(inner):
        chars = decode(line, start[0] + number, first if number == 0 else 1)
        found.append(_trim(chars, left=number > 0, right=number < len(inner) - 1))
    return found


def _unquoted(lines: list[str]) -> list[str]:
    inner = list(lines)
    inner[0] = inner[0][1:]
    inner[-1] = inner[-1][:-1]
    return inner


def _as_is(line: str, number: int, column: int) -> list[Char]:
    return [(char, (number, column + at)) for at, char in enumerate(line)]


def _single(line: str, number: int, column: int) -> list[Char]:
    made: list[Char] = []
    at = 0
    while at < len(line):
        made.append((line[at], (number, column + at)))
        at += 2 if line.startswith("''", at) else 1
    return made


def _double(line: str, number: int, column: int) -> list[Char]:
    """An escaped character is marked by a two-character entry, an escaped line end by an empty one: trimming stops."""
    made: list[Char] = []
    at = 0
    while at < len(line):
        place = (number, column + at)
        if line[at] != "\\":
            made.append((line[at], place))
            at += 1
            continue
        code = line[at + 1 : at + 2]
        length = _ESCAPE_LENGTH.get(code, 2)
        char = chr(int(line[at + 2 : at + length], 16)) if code in _ESCAPE_LENGTH else _ESCAPES.get(code, "")
        made.append(("\\" + char if char else "", place))
        at += length
    return made


def _trim(chars: list[Char], *, left: bool, right: bool) -> list[Char]:
    low, high = 0, len(chars)
    while left and low < high and chars[low][0] in (" ", "\t"):
        low += 1
    while right and high > low and chars[high - 1][0] in (" ", "\t"):
        high -= 1
    return [(char[-1], place) for char, place in chars[low:high] if char]


def _block(value: str, lines: list[str], start: Place) -> list[list[Char]]:
    """The content of block lines; how far they are indented is seen at the first one with more than blanks."""
    body = lines[1:]
    written = next((line for line in body if line.strip(" ")), "")
    kept = next((line for line in value.split("\n") if line.strip(" ")), "")
    indent = len(written) - len(written.lstrip(" ")) - (len(kept) - len(kept.lstrip(" ")))
    return [_as_is(line[indent:], start[0] + 1 + at, 1 + indent) for at, line in enumerate(body) if line[indent:]]


def _align(value: str, segments: list[list[Char]], start: Place) -> tuple[Place, ...]:
    """Walk the value: a segment stands in it as it is, and what is between belongs to the line break before."""
    made: list[Place] = []
    end = start
    for segment in segments:
        text = "".join(char for char, _ in segment)
        if not text:
            continue
        at = len(made)
        while at < len(value) and value[at] in " \n" and not value.startswith(text, at):
            at += 1
        made.extend(repeat(end, at - len(made)))
        made.extend(place for _, place in segment)
        line, column = segment[-1][1]
        end = (line, column + 1)
    made.extend(repeat(end, len(value) - len(made)))
    return (*made[: len(value)], end)
