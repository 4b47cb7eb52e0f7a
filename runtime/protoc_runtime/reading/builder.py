"""Builds one table from chunks of rows: object by object into columns, column by column into polars."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from protoc_runtime.catalogue import rows as kinds
from protoc_runtime.declared import Type
from protoc_runtime.diagnostics import Span
from protoc_runtime.reading import columns
from protoc_runtime.reading.faults import Faults, shown
from protoc_runtime.reading.layout import Field, Layout
from protoc_runtime.reading.values import MISSING, Bad, expected
from protoc_runtime.record import record

Columns = Mapping[str, Sequence[Any]]  # by stored name
TOGETHER = 16_384  # rows that are turned into columns at once


@record
class Raw:
    """A table as it was written: references are still keys of other tables, wide rows are still wide."""

    layout: Layout
    frame: pl.DataFrame
    scales: dict[str, int]
    faults: Faults
    nested: tuple[tuple[str, Raw], ...] = ()
    rows: tuple[int, ...] | None = None  # of nested rows: the row of the outermost table

    def outer(self, row: int) -> int:
        """The row of the outermost table in which a row stands."""
        return row if self.rows is None else self.rows[row]


class Builder:
    """Takes the rows of one table, chunk by chunk; a fault leaves an undefined value, so that rows keep their index."""

    def __init__(self, layout: Layout, faults: Faults, inside: str = "") -> None:
        self.layout = layout
        self.faults = faults
        self.height = 0
        self._done = 0  # rows that are columns already
        self._waiting: dict[str, list[Any]] = {field.stored: [] for field in layout.fields}
        self._inside = inside  # the cell that these rows stand in
        self.plain = [field for field in layout.fields if field.nested is None]
        self._parts: dict[str, list[columns.Part]] = {field.stored: [] for field in self.plain}
        self._nested = {
            field.stored: (field, Builder(field.nested, faults, field.name))
            for field in layout.fields
            if field.nested is not None
        }
        self._owners: list[pl.DataFrame] = []
        self._describe: Callable[[int], str] = lambda row: ""  # nested only: the key of the row around a row
        self._rows: list[int] = []  # nested only: the row of the outermost table, by index

    def add_rows(self, rows: Sequence[Any]) -> None:
        """Take rows as tuples of (name, value) pairs; anything else is a fault."""
        names = [field.stored for field in self.layout.fields]
        self.add(transposed(rows, names) or self._row_by_row(rows, names), len(rows))

    def add(self, given: Columns, height: int) -> None:
        """Take a chunk whose columns are complete; a value that is MISSING has been told already.

        Values wait until there are enough of them: columns are made of many rows at once, rows are parsed a few at a
        time, while they are still in the processor's cache.
        """
        for stored, waiting in self._waiting.items():
            waiting.extend(given[stored])
        self.height += height
        if self.height - self._done >= TOGETHER:
            self._encode()

    def _encode(self) -> None:
        given, first, height = self._waiting, self._done, self.height - self._done
        if not height:
            return
        self._waiting = {field.stored: [] for field in self.layout.fields}
        parts: dict[str, columns.Part] = {}
        for field in self.plain:
            report = self.reporter(field, given, first)
            values = given[field.stored]
            parts[field.stored] = columns.encode(values, field.type, field.optional, field.key, report)
        self._take(parts, given, height)

    def add_parts(self, parts: Mapping[str, columns.Part], given: Columns, height: int) -> None:
        """Take a chunk whose plain columns are made already; `given` still holds the cells with rows inside."""
        self._encode()
        self.height += height
        self._take(parts, given, height)

    def _take(self, parts: Mapping[str, columns.Part], given: Columns, height: int) -> None:
        for stored, part in parts.items():
            self._parts[stored].append(part)
        for stored, (field, inner) in self._nested.items():
            self._add_nested(field, inner, given[stored], given, self._done)
        self._done += height

    def header_fits(self, found: Sequence[str], span: Span) -> bool:
        """Whether these are the columns of the table; tells what is wrong with them once, at `span`."""
        names = [field.stored for field in self.layout.fields]
        for bad, field in _wrong_names(found, names, self.layout):
            where = self.faults.where("", field)
            self.faults.add(bad.kind, span, where=where, field=field, table=self.faults.table, **bad.values)
        return set(found) == set(names)

    def finish(self) -> Raw:
        """The whole table."""
        self._encode()
        made: dict[str, pl.Series] = {}
        scales: dict[str, int] = {}
        for field in self.plain:
            series, scale = columns.joined(self._parts[field.stored], field.type)
            made[field.stored] = series
            if scale is not None:
                scales[field.stored] = scale
        frame = pl.DataFrame(made) if made else pl.DataFrame(height=self.height)
        if self._owners:
            frame = pl.concat([pl.concat(self._owners), frame], how="horizontal")
        nested = tuple((field.name, inner.finish_nested()) for field, inner in self._nested.values())
        return Raw(self.layout, frame, scales, self.faults, nested, tuple(self._rows) if self._inside else None)

    def finish_nested(self) -> Raw:
        """The rows inside the cells of another table, with `_parent` and `position`."""
        if not self._owners:
            self._owners.append(_owners([], []))
        return self.finish()

    def _add_nested(self, field: Field, inner: Builder, cells: Sequence[Any], given: Columns, first: int) -> None:
        owners: list[int] = []
        positions: list[int] = []
        rows: list[Any] = []
        report = self.reporter(field, given, first)
        for index, cell in enumerate(cells):
            if cell is MISSING:
                continue
            if type(cell) is not list:
                kind = kinds.NULL_VALUE if cell is None else kinds.WRONG_TYPE
                report(index, Bad(kind, found=shown(cell), expected=expected(Type("list"))))
                continue
            owners += [first + index] * len(cell)
            positions += range(1, len(cell) + 1)
            rows += cell
        inner._owners.append(_owners(owners, positions))
        inner._rows += [self._outer(owner) for owner in owners]
        if rows:
            before = inner.height
            inner._describe = lambda row: (
                f"{self._key(given, owners[row - before] - first)}, position {positions[row - before]}"
            )
            inner.add_rows(rows)

    def _outer(self, row: int) -> int:
        return self._rows[row] if self._inside else row

    def reporter(self, field: Field, given: Columns, first: int) -> columns.Report:
        """What to call for each value that does not fit: `first` is the row of the first value."""

        def report(index: int, bad: Bad) -> None:
            """Tell the fault of one value: with its row (from the first of this part) and, where it has one, its
            key."""
            key = self._describe(first + index) if self._inside else self._key(given, index)
            self._fault(bad, first + index, key, field.stored)

        return report

    def _fault(self, bad: Bad, row: int, key: str, field: str) -> None:
        path = ".".join(part for part in (self._inside, field) if part)
        self.faults.at(bad.kind, self._outer(row), key, path, **bad.values)

    def _key(self, given: Columns, index: int) -> str:
        found = [(name, given[name][index]) for name in self.layout.keys if name in given]
        return ", ".join(f"{name} {shown(value)}" for name, value in found if value is not MISSING)

    def _row_by_row(self, rows: Sequence[Any], names: list[str]) -> Columns:
        made: dict[str, list[Any]] = {name: [] for name in names}
        for index, row in enumerate(rows):
            values = self._values(row, names, self.height + index)
            for name in names:
                made[name].append(values.get(name, MISSING))
        return made

    def _values(self, row: Any, names: list[str], at: int) -> dict[str, Any]:
        """The values of one row by name, after telling what is wrong with its names."""
        if row is MISSING:
            return {}
        if type(row) is not tuple:
            self._fault(Bad(kinds.NOT_AN_OBJECT, found=shown(row), expected=", ".join(names)), at, "", "")
            return {}
        values = dict(row)
        key = self._describe(at) if self._inside else self._key({n: [value] for n, value in values.items()}, 0)
        if len(values) != len(row):
            written = [name for name, _ in row]
            for name in dict.fromkeys(name for name in written if written.count(name) > 1):
                self._fault(Bad(kinds.DUPLICATE_FIELD, found=shown(name)), at, key, name)
        if values.keys() != set(names):
            for bad, field in _wrong_names(list(values), names, self.layout):
                self._fault(bad, at, key, field)
        return values


def transposed(rows: Sequence[Any], names: Sequence[str]) -> Columns | None:
    """The columns of rows that all have exactly these names in one order; None where one needs a closer look."""
    if set(map(type, rows)) != {tuple} or set(map(len, rows)) != {len(names)}:
        return None
    made: dict[str, Sequence[Any]] = {}
    for pairs in zip(*rows, strict=True):
        keys, values = zip(*pairs, strict=True)
        if len(set(keys)) != 1:
            return None
        made[keys[0]] = values
    return made if made.keys() == set(names) else None


def _wrong_names(found: Sequence[str], names: Sequence[str], layout: Layout) -> Iterator[tuple[Bad, str]]:
    """What is wrong with the names of a row or header, each with the field that it is about."""
    absent = [name for name in names if name not in found]
    for name in found:
        if name not in names:
            near = difflib.get_close_matches(name, absent or names, 1, 0.6)
            hint = f"did you mean {near[0]}?" if near else "remove the column, or declare it in the spec"
            yield Bad(kinds.UNKNOWN_COLUMN, found=shown(name), expected=", ".join(names), hint=hint), ""
    for field in layout.fields:
        if field.stored in absent:
            yield Bad(kinds.MISSING_COLUMN, expected=expected(field.type)), field.stored


def _owners(owners: Sequence[int], positions: Sequence[int]) -> pl.DataFrame:
    return pl.DataFrame(
        {"_parent": pl.Series(owners, dtype=pl.UInt32), "position": pl.Series(positions, dtype=pl.Int64)}
    )
