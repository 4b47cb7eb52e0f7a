"""A valid set of rows from the declared tables alone: where a search over rows begins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice, product
from typing import Any

from protoc_compiler import core
from protoc_compiler.proof.archetype import inputs
from protoc_compiler.proof.scored import SPLITS
from protoc_compiler.proof.trials.rowset import Own, Rowset
from protoc_compiler.proof.trials.values import OWN, Values

_FEW = 6  # rows of a table of which nothing says how many it has
_MANY = 12_000


class Making:
    """Makes rows for the tables of a protocol, and one more row of a table."""

    def __init__(
        self, protocol: core.Protocol, values: Values, fixed: Mapping[str, list[Own]], splits: frozenset[str] | None
    ) -> None:
        """`splits`: those that rows may be of; None for all."""
        self.protocol, self.values = protocol, values
        self.tables = {table.name: table for table in protocol.tables}
        self.fixed = {name: list(rows) for name, rows in fixed.items()}
        self.allowed = dict(self.fixed)
        if splits is not None and SPLITS in self.fixed:
            (key,) = self.tables[SPLITS].key
            self.allowed[SPLITS] = [row for row in self.fixed[SPLITS] if row.cells[key] in splits]
        self.brought = [table for table in _below_first(protocol) if table.kind in ("input", "nested")]

    def start(self, size: int = _FEW) -> Rowset:
        """A few rows of each table: of one whose keys are others' rows, one for each combination."""
        made = Rowset(dict(self.fixed))
        for table in self.brought:
            made.tables[table.name] = []
            if table.record:
                self.add(made, table, {}, None, 0)
            elif table.kind == "nested":
                for parent in made.tables[table.parent]:
                    self.add(made, table, {}, parent, len(made.tables[table.name]))
            else:
                for place, keys in enumerate(islice(self.combinations(made, table, size), _MANY)):
                    self.add(made, table, keys, None, place)
        return made

    def combinations(self, rows: Rowset, table: core.Table, size: int = _FEW) -> Iterator[dict[str, Any]]:
        """The keys of a table: each combination of what it refers to, or as many as are expected."""
        known = {column.name: column for column in inputs(table)}
        shared = [known[name] for name in table.key if name in known and known[name].type.kind not in OWN]
        if not shared or (len(shared) < len(table.key) and all(one.type.kind != "row" for one in shared)):
            yield from ({} for _ in range(self._expected(table, rows, size)))
            return
        domains = [self.domain(rows, column) for column in shared]
        for cells in product(*domains):
            yield dict(zip([column.name for column in shared], cells, strict=True))

    def domain(self, rows: Rowset, column: core.Col) -> list[Any]:
        """What a reference, or a column with few values, may hold."""
        if column.type.kind == "row":
            return self.allowed.get(column.type.table) or rows.tables.get(column.type.table, [])
        if column.type.kind == "enum":
            return list(column.type.members)
        return [False, True] if column.type.kind == "bool" else []

    def _expected(self, table: core.Table, rows: Rowset, size: int) -> int:
        """How many rows a table is expected to have, if that is all that is said of it."""
        for item in table.expect:
            found = item.expr
            if isinstance(found, core.Compare) and found.ops == ("==",):
                one, other = found.operands
                plain = isinstance(one, core.Aggregate) and one.function == "count" and one.rows.table == table.name
                if plain and isinstance(one, core.Aggregate) and not one.rows.where and isinstance(other, core.Const):
                    return int(other.value)  # type: ignore[arg-type]  # it is compared with a count
        named = [len(self.values.named.get((table.name, name), ())) for name in table.key]
        widest = [len(self.domain(rows, column)) for column in inputs(table) if column.type.kind == "row"]
        return max([size, *[number for number in (*named, *widest) if number <= 2 * size]])

    def add(self, rows: Rowset, table: core.Table, keys: dict[str, Any], parent: Own | None, place: int) -> Own:
        """One plain row with these keys."""
        made = Own(table.name, dict(keys), parent)
        for column in inputs(table):
            if column.name not in keys:
                made.cells[column.name] = self._first(rows, table, column, place)
        rows.tables[table.name] = [*rows.tables[table.name], made]
        return made

    def _first(self, rows: Rowset, table: core.Table, column: core.Col, place: int) -> Any:
        if column.type.kind == "row":
            domain = self.domain(rows, column)
            return domain[place % len(domain)] if domain else None
        return self.values.first(table, column, place)


def _below_first(protocol: core.Protocol) -> list[core.Table]:
    """The tables, each after those that its rows refer to."""
    made: list[core.Table] = []
    waiting = list(protocol.tables)
    while waiting:
        names = {table.name for table in waiting}
        ready = [table for table in waiting if not _named(table) & (names - {table.name})]
        made += ready or waiting[:1]
        waiting = [table for table in waiting if table not in made]
    return made


def _named(table: core.Table) -> set[str]:
    """The tables that the rows of a table belong to or refer to."""
    return {table.parent, *(column.type.table for column in inputs(table) if column.type.kind == "row")}


__all__ = ["Making"]
