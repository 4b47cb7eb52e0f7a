"""Which rows that stand in the spec the rows of the data can refer to, where two protocols list others.

Data with a reference to a row that only one of the two lists is refused by the other one, so that on no data which both
take a rule reads the cells of that row by a reference. What both list is told apart by its key, in whatever order.
"""

from __future__ import annotations

from functools import cached_property

from protoc_compiler import core
from protoc_compiler.drift.forms import Form, const, in_order

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any, TypeAlias

    Key: TypeAlias = tuple[Any, ...]
    Cells: TypeAlias = dict[Key, Any]

_FROM_OUTSIDE = ("input", "nested")  # kinds of tables whose cells are checked as they are read


class Referred:
    """What the references of the data can be to, in two protocols with the same names."""

    def __init__(self, old: core.Protocol, new: core.Protocol) -> None:
        self._sides = [{table.name: table for table in side.tables} for side in (old, new)]
        self._known: dict[tuple[str, str, bool], bool] = {}

    def keys(self, table: str) -> frozenset[Key]:
        """The rows that both list."""
        one, other = (frozenset(_keys(side[table])) if table in side else frozenset() for side in self._sides)
        return one & other

    @cached_property
    def narrows(self) -> bool:
        """Whether the data can refer to rows that both list: only then a filter leaves some of these out."""
        return any(self.keys(table) for _, table in self._references)

    def by_data(self, column: str, table: str) -> bool:
        """Whether a column with references to a listed table is one that data fill, on both sides."""
        return (column, table) in self._references

    @cached_property
    def _references(self) -> frozenset[tuple[str, str]]:
        """The columns, by name, of which all that have this name and refer to the same table are filled by data."""
        found: dict[tuple[str, str], bool] = {}
        for table in (table for side in self._sides for table in side.values()):
            for column in table.columns:
                if column.type.kind == "row":
                    filled = column.expr is None and column.origin == "input" and table.kind in _FROM_OUTSIDE
                    place = column.name, column.type.table
                    found[place] = found.get(place, True) and filled
        return frozenset(place for place, filled in found.items() if filled)

    def referred_cells(self, at: int, row: Form, name: str) -> Cells:
        """What can stand in a column of what a reference of the data is to, on one side; nothing where that is not
        known."""
        tables = [table for column, table in self._references if row[:1] == ("column",) and column == row[2]]
        if len(tables) != 1:
            return {}
        made = cells(self._sides[at][tables[0]], name) if tables[0] in self._sides[at] else {}
        return {key: cell for key, cell in made.items() if key in self.keys(tables[0])}

    def alike(self, table: str, name: str, *, by_data: bool) -> bool:
        """Whether the same stands in a column of the rows that both list, which `by_data` are all that count."""
        place = table, name, by_data
        known = self._known.get(place)
        if known is None:
            known = self._known[place] = self._alike(table, name, by_data)
        return known

    def _alike(self, table: str, name: str, by_data: bool) -> bool:
        sides = [side.get(table) for side in self._sides]
        made = [cells(one, name) for one in sides if one is not None and one.kind == "listed"]
        if len(made) != len(sides) or not made[0]:
            return False
        if not by_data:
            return made[0] == made[1]
        kept = self.keys(table)
        return all(made[0][key] == made[1][key] for key in kept)


def _keys(table: core.Table) -> list[Key]:
    """The key of each row of a listed table; none where it has no key, or no row of its own for each."""
    if table.kind != "listed" or not table.key:
        return []
    places = [_place(table, name) for name in table.key]
    return [tuple(row[at] for at in places) for row in table.listed]


def _place(table: core.Table, name: str) -> int:
    return [column.name for column in table.columns if column.expr is None].index(name)


def cells(table: core.Table, name: str) -> Cells:
    """What stands in a column of a listed table, by the key of its row."""
    column = table.column(name)
    if column is None or column.expr is not None or table.kind != "listed":
        return {}
    at = _place(table, name)
    return {key: _cell(column.type, row[at]) for key, row in zip(_keys(table), table.listed, strict=False)}


def _cell(kind: core.Type, value: Any) -> Form:
    """A cell as a form; of what is no literal what it is, so that only the same one is alike."""
    return const(kind, value) if value is None or kind.kind not in _OPEN else ("cell", kind.kind, kind.table, value)


_OPEN = ("row", "any", "set", "list", "struct")


def looked_up(referred: Referred | None, row: Form, table: core.Table, name: str) -> Form:
    """The form of a cell of a listed row that is not known: the column, with what can stand in it where that is not the
    same in both."""
    by_data = referred is not None and row[0] == "column" and referred.by_data(row[2], table.name)
    if referred is not None and referred.alike(table.name, name, by_data=by_data):
        return ("column", row, name)
    own = cells(table, name)
    kept: Collection[Key] = referred.keys(table.name) if referred is not None and by_data else own
    return ("column", row, name, tuple(in_order([(key, own[key]) for key in kept])))


__all__ = ["Referred", "cells", "looked_up"]
