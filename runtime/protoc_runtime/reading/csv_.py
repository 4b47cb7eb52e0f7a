"""CSV with a header: every cell is text, and the declared type says what the text must be.

An empty cell is undefined. `true` and `false`, numbers as in JSON; a set, a list, an `any` value or rows inside a
cell are written as JSON.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from typing import Any, BinaryIO

from protoc_runtime.catalogue import rows as kinds
from protoc_runtime.diagnostics import Span
from protoc_runtime.reading import jsonl
from protoc_runtime.reading.builder import Builder
from protoc_runtime.reading.faults import Faults
from protoc_runtime.reading.layout import Field
from protoc_runtime.reading.values import MISSING, NotFinite
from protoc_runtime.record import replace

ROWS = 5000  # rows of one chunk
_INT = re.compile(r"-?(?:0|[1-9][0-9]*)", re.ASCII)
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", re.ASCII)
_NOT_FINITE = re.compile(r"[+-]?(?:nan|inf|infinity)", re.IGNORECASE)


class Cell(str):
    """The text of a cell that is not what its column takes."""


def read(file: BinaryIO, name: str, builder: Builder) -> None:
    """Add all rows of a file to the table."""
    before = csv.field_size_limit(jsonl.LONGEST)
    try:
        text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
        _read(csv.reader(_lines(text), strict=True), name, builder)
    except UnicodeDecodeError:
        file.seek(0)
        for number, line in enumerate(iter(partial(file.readline, jsonl.LONGEST), b""), 1):
            if not _decodes(line):
                jsonl.one_line(line, name, number, builder.faults)
                return
    finally:
        csv.field_size_limit(before)


def _lines(text: io.TextIOWrapper) -> Iterator[str]:
    """The lines of a file, none of which is read further than a line may reach."""
    while line := text.readline(jsonl.LONGEST):
        if len(line) == jsonl.LONGEST and line[-1] != "\n":
            raise csv.Error(f"a line has more than {jsonl.LONGEST} characters")
        yield line


def _read(reader: Any, name: str, builder: Builder) -> None:
    header = next(_checked_rows(reader, name, builder.faults), None)
    if header is None:
        builder.faults.add(kinds.UNREADABLE, Span(name, 1, 1, 1, 2), found="the file is empty, without a header")
        return
    if not _header_fits(header[1], name, builder):
        return
    lines: list[int] = []
    builder.faults.places[-1] = replace(builder.faults.places[-1], lines=lines)
    rows = _checked_rows(reader, name, builder.faults)
    while chunk := list(islice(rows, ROWS)):
        lines += [line for line, _ in chunk]
        _add(chunk, header[1], name, builder)


def _checked_rows(reader: Any, name: str, faults: Faults) -> Iterator[tuple[int, list[str]]]:
    """Rows with the line on which each begins."""
    while True:
        line = reader.line_num + 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            faults.add(kinds.BAD_CSV, Span(name, line, 1, line, 2), where=faults.where(), found=error)
            return
        yield line, row


def _header_fits(header: list[str], name: str, builder: Builder) -> bool:
    span = Span(name, 1, 1, 1, 2)
    twice = sorted({column for column in header if header.count(column) > 1})
    if twice or "" in header:
        found = f"{', '.join(twice)} twice" if twice and twice != [""] else "an empty column"
        builder.faults.add(kinds.BAD_HEADER, span, found=found)
        return False
    return builder.header_fits(header, span)


def _add(chunk: list[tuple[int, list[str]]], header: list[str], name: str, builder: Builder) -> None:
    width = len(header)
    rows: list[list[Any]] = []
    for line, row in chunk:
        if len(row) != width:
            span = Span(name, line, 1, line, 2)
            where = builder.faults.where()
            if row:
                builder.faults.add(kinds.RAGGED_ROW, span, where=where, found=len(row), expected=width)
            else:
                builder.faults.add(kinds.EMPTY_LINE, span, where=where)
            rows.append([MISSING] * width)
        else:
            rows.append(row)
    cells = dict(zip(header, zip(*rows, strict=True), strict=True))
    fields = builder.layout.fields
    builder.add(
        {field.stored: [_value(c, _reading(field)) for c in cells[field.stored]] for field in fields}, len(rows)
    )


def _value(cell: Any, read_one: Callable[[str], Any]) -> Any:
    if cell is MISSING:
        return cell
    return read_one(cell) if cell else None


def _reading(field: Field) -> Callable[[str], Any]:
    if field.nested is not None:
        return _json
    return _READINGS.get(field.type.kind, str)


def _bool(cell: str) -> Any:
    return {"true": True, "false": False}.get(cell, Cell(cell))


def _number(cell: str) -> Any:
    if _INT.fullmatch(cell) and len(cell) < 4000:
        return int(cell)
    if _NUMBER.fullmatch(cell):
        return cell.encode("ascii")
    return NotFinite(cell) if _NOT_FINITE.fullmatch(cell) else Cell(cell)


def _json(cell: str) -> Any:
    try:
        return Cell(cell) if jsonl.too_deep(cell) else jsonl.DECODER.decode(cell)
    except (ValueError, RecursionError):
        return Cell(cell)


_READINGS: dict[str, Callable[[str], Any]] = {
    "bool": _bool,
    "int": _number,
    "number": _number,
    "quantity": _number,
    "any": _json,
    "set": _json,
    "list": _json,
}


def _decodes(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
