"""Rows that are made up: a rehearsal never opens the rows of its protocol, whether they exist or not.

They have the declared types, keys and references, there are as many as the protocol expects, and the same protocol
always gets the same ones. They have no other sense; nothing that is computed from them means anything.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from typing import Any

from protoc_runtime.declared import Declared, Table, Type
from protoc_runtime.gathering import Tables, in_order, located, with_rows
from protoc_runtime.rehearsal_counts import Wanted
from protoc_runtime.subjects.calling import keys_of
from protoc_runtime.written import plain

ROWS = 4  # of each split, and of a table of which nothing says how many rows it has
MOST = 20_000  # rows of one table: a rehearsal is there to see the road, not to bear its load
_CLOSED = ("row", "enum", "bool")  # what is in a column of a key, where its values are few and known
Counts = Mapping[str, tuple[Wanted, ...]]


def synthetic(declared: Declared, splits: tuple[str, ...], counts: Counts) -> Tables:
    """Made-up rows for every table that comes from files, those of a recorded subject included; of a table that has
    splits, rows of these splits."""
    from protoc_runtime.reading.tables import finished, listed_tables

    whole = plain(located(declared))
    wanted = [table.name for table in located(declared).tables if table.kind == "input" and table.source == "file"]
    maker = _Maker(whole, splits, counts)
    rows = {table.name: maker.rows(table) for table in in_order(whole, wanted)}
    return with_rows(whole, finished(listed_tables(whole)), rows)


def synthetic_digests(declared: Declared) -> dict[str, str]:
    """Digests of files that are not opened: of each table that comes from files, and of each frozen file."""
    tables = [t.name for t in located(declared).tables if t.kind == "input" and t.source == "file"]
    frozen = [f"freeze.{item.name}" for item in declared.freeze if item.file]
    return {name: _digest(name, 0) for name in (*tables, *frozen)}


class _Maker:
    def __init__(self, declared: Declared, splits: tuple[str, ...], counts: Counts) -> None:
        self._declared = declared
        self._splits = splits
        self._counts = counts
        self._keys: dict[str, list[Any]] = {
            table.name: [row[0] for row in table.listed] for table in declared.tables if table.kind == "listed"
        }
        self._split_of: dict[str, dict[Any, str]] = {}

    def rows(self, table: Table) -> list[dict[str, Any]]:
        """Rows of one table; with a key of references, one for each combination of the rows that it refers to."""
        keyed = [c for c in table.stored if c.name in table.key and c.type.kind in _CLOSED]
        if keyed:
            combined = itertools.product(*(self._members(column.type) for column in keyed))
            given = [dict(zip((c.name for c in keyed), cells, strict=True)) for cells in combined]
        else:
            given = self._fixed(table)
        made = [self._row(table, number, cells) for number, cells in enumerate(given[:MOST])]
        self._remember(table, made)
        return made

    def _remember(self, table: Table, rows: list[dict[str, Any]]) -> None:
        """The keys of the rows, for tables that refer to them; and of each the split."""
        if not table.key:
            return
        keys = keys_of(self._declared, table.name, rows)
        self._keys[table.name] = keys
        for column in table.stored:
            if column.type.table == table.name:  # a table that refers to itself could not know its keys before
                for number, row in enumerate(rows):
                    row[column.name] = keys[number // 2]
        split = _split_column(table)
        if split:
            self._split_of[table.name] = {_hashable(key): row[split] for key, row in zip(keys, rows, strict=True)}

    def _fixed(self, table: Table) -> list[dict[str, Any]]:
        """The cells that are given for each row: as many rows as are expected, else some of each split."""
        if table.record:
            return [{}]
        split, stored = _split_column(table), {column.name for column in table.stored}
        wanted = [each for each in self._counts.get(table.name, ()) if stored >= {name for name, _ in each.cells}]
        if split:
            narrowed = len(self._splits) < len(self._declared.splits)  # a total counts rows of the other splits too
            may = self._splits if narrowed else ("", *self._splits)
            wanted = [each for each in wanted if dict(each.cells).get(split, "") in may]
        made = [dict(each.cells) for each in wanted if each.cells for _ in range(min(each.rows, MOST))]
        total = next((each.rows for each in wanted if not each.cells), None)
        if total is None and split and set(self._splits) - {cells.get(split) for cells in made}:
            bare = [name for name in self._splits if name not in {cells.get(split) for cells in made}]
            return made + [{split: name} for name in bare for _ in range(ROWS)]
        due = (0 if made else ROWS) if total is None else max(0, min(total, MOST) - len(made))
        return made + [{}] * due

    def _members(self, kind: Type) -> list[Any]:
        if kind.kind == "bool":
            return [True, False]
        if kind.kind == "enum":
            return list(kind.members)
        return list(self._splits) if kind.table == "splits" else self._keys.get(kind.table, [])

    def _row(self, table: Table, number: int, fixed: Mapping[str, Any]) -> dict[str, Any]:
        nested = dict(self._declared.nested(table.name))
        built_in = ("_parent", "position") if table.kind == "nested" else ()
        made = {
            column.name: fixed[column.name] if column.name in fixed else self._value(column.type, column.name, number)
            for column in table.stored
            if column.name not in built_in
        }
        split = _split_column(table)
        if split and split not in fixed:
            made[split] = self._split_by_reference(table, made, made[split])
        return made | {name: [self._row(inner, number, {})] for name, inner in nested.items()}

    def _split_by_reference(self, table: Table, row: Mapping[str, Any], otherwise: str) -> str:
        """The split of the row that a row refers to, where that has one."""
        for column in table.stored:
            known = self._split_of.get(column.type.table, {})
            if column.type.kind == "row" and _hashable(row[column.name]) in known:
                return known[_hashable(row[column.name])]
        return otherwise

    def _value(self, kind: Type, name: str, number: int) -> Any:
        if kind.kind in ("set", "list") and kind.item is not None:
            return [self._value(kind.item, name, number)]
        if kind.kind in ("row", "enum"):
            members = self._members(kind)
            return members[number % len(members)] if members else None
        return _PLAIN[kind.kind](name, number)


def _split_column(table: Table) -> str:
    """The column that tells the split of a row, or empty."""
    return next((column.name for column in table.stored if column.type.table == "splits"), "")


def _hashable(key: Any) -> Any:
    return tuple(key) if isinstance(key, list) else key


def _digest(name: str, number: int) -> str:
    return hashlib.sha256(f"{name} {number}".encode()).hexdigest()


def _time(number: int) -> str:
    return (datetime(2000, 1, 1, tzinfo=UTC) + timedelta(seconds=number)).strftime("%Y-%m-%dT%H:%M:%SZ")


_PLAIN: dict[str, Any] = {
    "bool": lambda name, number: number % 2 == 0,
    "int": lambda name, number: number + 1,
    "number": lambda name, number: Fraction(number + 1, 10),
    "quantity": lambda name, number: Fraction(number + 1),
    "text": lambda name, number: f"{name} {number + 1}",
    "any": lambda name, number: f"{name} {number + 1}",
    "digest": _digest,
    "time": lambda name, number: _time(number),
    "date": lambda name, number: (date(2000, 1, 1) + timedelta(days=number)).isoformat(),
}
