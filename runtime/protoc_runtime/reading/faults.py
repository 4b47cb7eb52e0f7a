"""Collects the faults of one table with their place: file and line, the row's key, the field."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from protoc_runtime.catalogue import rows as kinds
from protoc_runtime.diagnostics import Findings, Kind, Related, Span
from protoc_runtime.record import record

SHOWN = 50  # faults of one table that are shown; the rest are counted


@record
class Place:
    """Where the rows of one file stand: its name, its first row's index in the table, and the lines if not 1, 2, 3.

    In Parquet a "line" is the number of the row, from 1.
    """

    file: str
    first: int
    lines: Sequence[int] | None = None
    per_line: int = 1  # rows that one line gives (wide files)

    def span(self, row: int) -> Span:
        """The line of a row (its index in the table)."""
        at = (row - self.first) // self.per_line
        line = self.lines[at] if self.lines is not None else at + 1
        return Span(self.file, line, 1, line, 2)


class Faults:
    """The faults of one table."""

    def __init__(self, table: str, findings: Findings) -> None:
        self.table = table
        self.places: list[Place] = []
        self._findings = findings
        self._count = 0
        self._more: Span | None = None

    @property
    def count(self) -> int:
        """How many faults there are, shown or not."""
        return self._count

    def span(self, row: int) -> Span:
        """The place of a row by its index in the table."""
        place = next(place for place in reversed(self.places) if place.first <= row)
        return place.span(row)

    def add(self, kind: Kind, span: Span | None, *, related: Sequence[Related] = (), **values: Any) -> None:
        """Record one fault, or count it where enough are shown already."""
        self._count += 1
        if self._count <= SHOWN:
            self._findings.add(kind, span, related=related, **{"table": self.table, **values})
        elif self._more is None:
            self._more = span

    def at(self, kind: Kind, row: int, key: str, field: str, **values: Any) -> None:
        """Record a fault of one field of one row; `key` describes the row (`case 'c07'`)."""
        self.add(kind, self.span(row), where=self.where(key, field), field=field, **values)

    def where(self, key: str = "", field: str = "") -> str:
        """The beginning of a message: table, row and field."""
        parts = [f"table {self.table}", f"row {key}" if key else "", f"field {field}" if field else ""]
        return ", ".join(part for part in parts if part)

    def close(self) -> None:
        """Say how many faults were not shown."""
        if self._count > SHOWN:
            self._findings.add(kinds.MORE_FAULTS, self._more, found=self._count - SHOWN, table=self.table)


def shown(value: object, limit: int = 60) -> str:
    """A value as it stands in a message."""
    if isinstance(value, bytes):
        text = value.decode("utf-8", "replace")
    elif isinstance(value, bool):
        text = "true" if value else "false"
    elif value is None:
        text = "null"
    elif isinstance(value, tuple):
        text = "an object"
    elif isinstance(value, list):
        text = "a list"
    elif isinstance(value, str):
        text = f'"{value}"' if value.isprintable() and '"' not in value else ascii(value)
    elif isinstance(value, int) and abs(value) >= 10**40:
        text = f"an integer of {len(str(abs(value)))} digits" if abs(value) < 10**4000 else "a very long integer"
    else:
        text = str(value)
    return text if len(text) <= limit else text[: limit - 3] + "..."
