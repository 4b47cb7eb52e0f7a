"""Rows that are made up, so that a protocol can be rehearsed before its inputs exist.

They have the declared types, keys and references and no other sense; nothing that is computed from them means anything.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from protoc_runtime.catalogue import rows as row_kinds
from protoc_runtime.declared import Column, Declared, Table, Type
from protoc_runtime.diagnostics import Diagnostic
from protoc_runtime.gathering import Tables, in_order, located, with_rows
from protoc_runtime.subjects.calling import keys_of
from protoc_runtime.written import plain

ROWS = 4  # of each split, and of a table whose key does not say how many there must be


def may_be_made_up(faults: Iterable[Diagnostic]) -> bool:
    """Whether rows are missing, and nothing else is wrong with them."""
    return all(fault.id == row_kinds.MISSING_FILE.id for fault in faults if fault.severity == "error")


def synthetic(declared: Declared, splits: tuple[str, ...]) -> Tables:
    """Made-up rows for every table that comes from files, those of a recorded subject included."""
    from protoc_runtime.reading.tables import finished, listed_tables

    whole = plain(located(declared))
    wanted = [table.name for table in located(declared).tables if table.kind == "input" and table.source == "file"]
    maker = _Maker(whole, splits)
    rows = {table.name: maker.rows(table) for table in in_order(whole, wanted)}
    return with_rows(whole, finished(listed_tables(whole)), rows)


class _Maker:
    def __init__(self, declared: Declared, splits: tuple[str, ...]) -> None:
        self._declared = declared
        self._splits = splits
        self._keys: dict[str, list[Any]] = {
            table.name: [row[0] for row in table.listed] for table in declared.tables if table.kind == "listed"
        }

    def rows(self, table: Table) -> list[dict[str, Any]]:
        """Rows of one table; with a key of references, one for each combination of the rows that it refers to."""
        keyed = [c for c in table.stored if c.name in table.key and c.type.kind in ("row", "enum")]
        combined = itertools.product(*(self._members(column) for column in keyed))
        made: list[dict[str, Any]] = []
        for given in combined if keyed else [()] * self._height(table):
            fixed = dict(zip((column.name for column in keyed), given, strict=True))
            made.append(self._row(table, len(made), fixed))
        self._keys[table.name] = keys_of(self._declared, table.name, made) if table.key else []
        return made

    def _height(self, table: Table) -> int:
        if table.record:
            return 1
        return ROWS * max(1, len(self._splits)) if any(c.type.table == "splits" for c in table.stored) else ROWS

    def _members(self, column: Column) -> list[Any]:
        if column.type.kind == "enum":
            return list(column.type.members)
        return list(self._splits) if column.type.table == "splits" else self._keys.get(column.type.table, [])

    def _row(self, table: Table, number: int, fixed: dict[str, Any]) -> dict[str, Any]:
        nested = dict(self._declared.nested(table.name))
        built_in = ("_parent", "position") if table.kind == "nested" else ()
        made = {
            column.name: fixed.get(column.name, self._value(column.type, column.name, number))
            for column in table.stored
            if column.name not in built_in
        }
        return made | {name: [self._row(inner, number, {})] for name, inner in nested.items()}

    def _value(self, kind: Type, name: str, number: int) -> Any:
        if kind.kind in ("set", "list") and kind.item is not None:
            return [self._value(kind.item, name, number)]
        if kind.kind == "row":
            members = list(self._splits) if kind.table == "splits" else self._keys.get(kind.table, [])
            return members[number % len(members)] if members else None
        if kind.kind == "enum":
            return kind.members[number % len(kind.members)]
        return _PLAIN[kind.kind](name, number)


def _digest(name: str, number: int) -> str:
    return hashlib.sha256(f"{name} {number}".encode()).hexdigest()


_PLAIN: dict[str, Any] = {
    "bool": lambda name, number: number % 2 == 0,
    "int": lambda name, number: number + 1,
    "number": lambda name, number: Fraction(number + 1, 10),
    "quantity": lambda name, number: Fraction(number + 1),
    "text": lambda name, number: f"{name} {number + 1}",
    "any": lambda name, number: f"{name} {number + 1}",
    "digest": _digest,
    "time": lambda name, number: f"2000-01-01T00:00:{number % 60:02}Z",
    "date": lambda name, number: f"2000-01-{number % 28 + 1:02}",
}
