"""What makes a row recognisable, for the registry and for audits of overlap: key, canonical row, the row without its
key, and its texts."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, overload

import polars as pl

from protoc_runtime.declared import Declared
from protoc_runtime.reading.canonical import columns_of
from protoc_runtime.reading.content import canonical_lines, cell_texts
from protoc_runtime.record import record
from protoc_runtime.tables import TableData
from protoc_runtime.texts import plain

AT_ONCE = 65_536  # rows whose lines are made together
SHORTEST = 8  # characters of the plain form: shorter texts are too often equal by chance
TELLING = 0.5  # a column tells rows apart where at least this part of its texts is distinct,
LONG, LONG_TELLING = 24, 0.2  # or, where its texts are that long on average, this part


class Lines(Sequence[str]):
    """Canonical lines of some cells of chosen rows, made when they are asked for: millions of them need no memory."""

    def __init__(self, cells: Mapping[str, pl.Series], chosen: Sequence[int]) -> None:
        self._cells, self._chosen = cells, chosen if cells else ()

    def __len__(self) -> int:
        return len(self._chosen)

    def __iter__(self) -> Iterator[str]:
        for start in range(0, len(self._chosen), AT_ONCE):
            yield from self._made(self._chosen[start : start + AT_ONCE])

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return self._made(self._chosen[place])
        return self._made([self._chosen[place]])[0]

    def _made(self, chosen: Sequence[int]) -> list[str]:
        rows = pl.Series(chosen, dtype=pl.UInt32)
        return canonical_lines({name: cell.gather(rows) for name, cell in self._cells.items()}).to_list()


@record
class Corpus:
    """The rows of one split (or file), in their order. `ids` and `bodies` are canonical lines of the key columns and of
    all others; `texts` are, for each row, the plain forms of its cells that tell rows apart."""

    ids: Sequence[str]
    rows: Sequence[str]
    bodies: Sequence[str]
    texts: tuple[tuple[str, ...], ...]


def corpus(
    declared: Declared, data: TableData, tables: Mapping[str, TableData], rows: Collection[int] | None = None
) -> Corpus:
    """The rows of a table, or those with these indexes."""
    chosen = sorted(range(data.height) if rows is None else rows)
    cells = cell_texts(declared, data, tables)
    keys = set(declared.table(data.name).key)
    columns = _texts(declared, data, tables, keys)
    return Corpus(
        Lines({name: cell for name, cell in cells.items() if name in keys}, chosen),
        Lines(cells, chosen),
        Lines({name: cell for name, cell in cells.items() if name not in keys}, chosen),
        telling([[column[row] for row in chosen] for column in columns]),
    )


def telling(columns: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """For each row the plain texts of those columns that tell rows apart; labels, which many rows share, do not."""
    if not columns:
        return ()
    kept = [column for column in ([plain(text) for text in each] for each in columns) if _tells(column)]
    return tuple(
        tuple(column[row] for column in kept if len(column[row]) >= SHORTEST) for row in range(len(columns[0]))
    )


def _tells(column: Sequence[str]) -> bool:
    filled = [text for text in column if text]
    if not filled:
        return False
    distinct, length = len(set(filled)) / len(filled), sum(map(len, filled)) / len(filled)
    return distinct >= TELLING or (length >= LONG and distinct >= LONG_TELLING)


def _texts(
    declared: Declared, data: TableData, tables: Mapping[str, TableData], without: Collection[str]
) -> list[list[str]]:
    """Columns of texts: those of the table, of rows inside it, and of the rows that it refers to."""
    made = []
    for name, cells in columns_of(declared, data, tables).items():
        column = declared.table(data.name).column(name)
        kind = None if column is None else (column.type.item or column.type).kind
        if name in without or kind not in (None, "text", "any"):
            continue
        made.append(["\n".join(strings(cell)) for cell in cells])
    for column in declared.table(data.name).stored:
        target = tables.get(column.type.table) if column.type.kind == "row" else None
        if target is not None and column.type.table not in ("splits", data.name):
            indexes = data.frame[column.name].to_list()
            known = declared.table(target.name)
            for texts in _own_texts(declared, target, tables, known.key):
                made.append(["" if index is None else texts[index] for index in indexes])
    return made


def _own_texts(
    declared: Declared, data: TableData, tables: Mapping[str, TableData], keys: Collection[str]
) -> Iterator[list[str]]:
    for column in declared.table(data.name).stored:
        if column.type.kind == "text" and column.name not in keys and column.name in data.frame.columns:
            yield [cell or "" for cell in columns_of(declared, data, tables, column.name)[column.name]]


def strings(cell: Any) -> Iterator[str]:
    """Every text within a value, in the order of its items and sorted keys."""
    if isinstance(cell, str):
        yield cell
    elif isinstance(cell, (list, tuple)):
        for item in cell:
            yield from strings(item)
    elif isinstance(cell, Mapping):
        for name in sorted(cell):
            yield from strings(cell[name])
