"""JSON Lines: one object a line, every number as it was written, nothing dropped.

A block of lines is parsed at once, with a text between the lines that cannot occur in them; only where that fails
are its lines parsed one by one, so that the fault is told with its line and column.
"""

from __future__ import annotations

import gc
import json
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

from protoc_runtime.catalogue import rows as kinds
from protoc_runtime.diagnostics import Span
from protoc_runtime.reading.builder import Builder
from protoc_runtime.reading.faults import Faults, shown
from protoc_runtime.reading.values import DEPTH, MISSING, NotFinite

BLOCK = 1 << 15  # larger blocks are slower: their rows leave the cache before they are columns
LONGEST = 1 << 24  # bytes of one line
BOM = b"\xef\xbb\xbf"
# objects become tuples of pairs, so that a repeated name is seen; other numbers than integers stay literals
DECODER = json.JSONDecoder(object_pairs_hook=tuple, parse_float=str.encode, parse_constant=NotFinite)


def read(file: BinaryIO, name: str, builder: Builder) -> None:
    """Add all lines of a file to the table."""
    separator = secrets.token_hex(16)
    with no_collector():
        for first, lines in blocks(file, name, builder.faults):
            builder.add_rows(_parsed(lines, separator) or list(_one_by_one(lines, first, name, builder.faults)))


@contextmanager
def no_collector() -> Iterator[None]:
    """Parsed rows hold no cycles: looking for some in every few hundred of them costs a quarter of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def blocks(file: BinaryIO, name: str, faults: Faults) -> Iterator[tuple[int, list[bytes]]]:
    """Complete lines in blocks of some kibibytes, each with the number of its first line."""
    number, size = 1, 0
    parts: list[bytes] = []  # of a line that goes on; joined once, since a line may be many blocks long
    while block := file.read(BLOCK):
        if number == 1 and not parts:
            block = block.removeprefix(BOM)
        parts.append(block)
        end = block.find(b"\n")
        if size + (len(block) if end < 0 else end) > LONGEST:
            faults.add(kinds.LINE_TOO_LONG, Span(name, number, 1, number, 2), where=faults.where(), expected=LONGEST)
            return
        size += len(block)
        if end >= 0:
            lines = b"".join(parts).split(b"\n")
            parts = [lines.pop()]
            size = len(parts[0])
            yield number, lines
            number += len(lines)
    rest = b"".join(parts)
    if rest.strip():
        yield number, [rest]


def _parsed(lines: list[bytes], separator: str) -> list[Any] | None:
    between = b',"' + separator.encode() + b'",'
    try:
        made = DECODER.decode((b"[" + between.join(lines) + b"]").decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    rows: list[Any] = made[::2]
    # each of the separators stands at the top, between two single values: no value reaches over the end of its line
    if len(made) != 2 * len(lines) - 1 or made[1::2].count(separator) != len(lines) - 1:
        return None
    return rows


def _one_by_one(lines: list[bytes], first: int, name: str, faults: Faults) -> Iterator[Any]:
    for number, line in enumerate(lines, first):
        yield one_line(line, name, number, faults)


def one_line(line: bytes, name: str, number: int, faults: Faults) -> Any:
    """The value on one line, or MISSING after telling what is wrong with it."""
    span = Span(name, number, 1, number, 2)
    where = faults.where()
    try:
        text = line.decode("utf-8")
        if not text.strip():
            faults.add(kinds.EMPTY_LINE, span, where=where)
            return MISSING
        if too_deep(text):
            raise RecursionError
        return DECODER.decode(text)
    except UnicodeDecodeError as error:
        column = len(line[: error.start].decode("utf-8")) + 1
        bad = f"byte 0x{line[error.start]:02x} at column {column}"
        faults.add(kinds.BAD_ENCODING, Span(name, number, column, number, column + 1), where=where, found=bad)
    except RecursionError:
        faults.add(kinds.TOO_DEEP, span, where=where, expected=DEPTH)
    except json.JSONDecodeError as error:
        span = Span(name, number, error.pos + 1, number, error.pos + 2)
        faults.add(kinds.BAD_JSON, span, where=where, found=_problem(error))
    except ValueError:
        faults.add(kinds.NUMBER_TOO_LONG, span, where=where, found="on this line", expected="4300")
    return MISSING


def too_deep(text: str) -> bool:
    """Whether brackets are nested deeper than any table needs (brackets inside texts count when they could matter)."""
    if text.count("[") + text.count("{") <= DEPTH:
        return False
    depth = deepest = 0
    inside = escaped = False
    for character in text:
        if inside:
            inside, escaped = escaped or character != '"', character == "\\" and not escaped
        elif character == '"':
            inside = True
        elif character in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif character in "]}":
            depth -= 1
    return deepest > DEPTH


def _problem(error: json.JSONDecodeError) -> str:
    if error.msg.startswith("Invalid control character"):
        return f"an unescaped control character U+{ord(error.doc[error.pos]):04X} in a text"
    if error.pos >= len(error.doc.rstrip()):
        return "it ends too early"
    if error.msg == "Extra data":
        return f"more follows after the object: {shown(error.doc[error.pos :], 30)}"
    return f"{error.msg[0].lower()}{error.msg[1:]} at column {error.pos + 1}"
