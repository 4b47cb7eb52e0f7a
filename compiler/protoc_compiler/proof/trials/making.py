"""A valid set of rows from the declared tables alone: where a search over rows begins."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import count, islice, product
from typing import Any

from protoc_compiler import core
from protoc_compiler.proof.archetype import inputs
from protoc_compiler.proof.scored import SPLITS
from protoc_compiler.proof.trials.rowset import Fixed, Key, Own, Rowset
from protoc_compiler.proof.trials.values import OWN, Values, anything

_FEW = 6  # rows of a table of which nothing says how many it has
_MANY = 12_000


class Making:
    """Makes rows for the tables of a protocol, and one more row of a table."""

    def __init__(
        self, protocol: core.Protocol, values: Values, fixed: Mapping[str, list[Fixed]],
        shared: Mapping[str, Collection[Key]], splits: frozenset[str] | None,
    ) -> None:  # fmt: skip
        """`shared`: of the `fixed` rows those that others may refer to. `splits`: those that rows may be of; None for
        all."""
        self.protocol, self.values = protocol, values
        self.tables = {table.name: table for table in protocol.tables}
        self.fixed: dict[str, list[Own]] = {name: list(rows) for name, rows in fixed.items()}
        self.allowed: dict[str, list[Own]] = {
            name: [row for row in rows if row.key in shared.get(name, ())] for name, rows in fixed.items()
        }
        if splits is not None and SPLITS in self.allowed:
            (key,) = self.tables[SPLITS].key
            read = [row for row in self.allowed[SPLITS] if row.cells[key] in splits]
            self.allowed[SPLITS] = read or self.allowed[SPLITS]
        self.brought = [table for table in _below_first(protocol) if table.kind in ("input", "nested")]

    def start(self, size: int = _FEW) -> Rowset:
        """A few rows of each table: of one whose keys are others' rows, one for each combination."""
        made = Rowset(dict(self.fixed))
        for table in self.brought:
            made.tables[table.name] = []
            if self._impossible(table):
                continue
            if table.record:
                self.add(made, table, {}, None, 0)
            elif table.kind == "nested":
                for parent in made.tables[table.parent]:
                    self.add(made, table, {}, parent, len(made.tables[table.name]))
            else:
                for place, keys in enumerate(islice(self.combinations(made, table, size), _MANY)):
                    self.add(made, table, keys, None, place)
        return made

    def _impossible(self, table: core.Table) -> bool:
        """Whether a row would have to refer to a listed row of which both protocols have none."""
        needed = [column.type.table for column in inputs(table) if column.type.kind == "row" and not column.optional]
        return any(name in self.allowed and not self.allowed[name] for name in needed)

    def combinations(self, rows: Rowset, table: core.Table, size: int = _FEW) -> Iterator[dict[str, Any]]:
        """The keys of a table: each combination of what it refers to, or as many as are expected."""
        known = {column.name: column for column in inputs(table)}
        keys, label = tell_apart(table), label_of(table)
        shared = [known[name] for name in keys if name in known and (known[name].type.kind not in OWN or name == label)]
        alone = all(one.type.kind != "row" or one.name == label for one in shared)
        if not shared or (len(shared) < len(keys) and alone):
            yield from islice(self._named(rows, table, shared), self._expected(table, rows, size))
            return
        for cells in product(*[self._few(rows, table, column) for column in shared]):
            yield dict(zip([column.name for column in shared], cells, strict=True))

    def _named(self, rows: Rowset, table: core.Table, shared: list[core.Col]) -> Iterator[dict[str, Any]]:
        """Keys without end: under each name of its own a row for each combination of the columns with few values."""
        own = [column for column in inputs(table) if column.name in tell_apart(table) and column not in shared]
        domains = [self._few(rows, table, column) or self.values.plain(table, column) for column in shared]
        for place in count() if all(domains) else ():
            made = {column.name: self.values.own(table, column, place) for column in own}
            for cells in product(*domains):
                yield made | dict(zip([column.name for column in shared], cells, strict=True))

    def _few(self, rows: Rowset, table: core.Table, column: core.Col) -> list[Any]:
        """As `domain`; the labels of a wide file in the column that takes them."""
        if table.unpivot is None or column.name != table.unpivot.label:
            return self.domain(rows, column)
        labels = [label for label, _ in table.unpivot.labels]
        if column.type.kind == "row":
            (key,) = self.tables[column.type.table].key
            return [row for row in self.domain(rows, column) if row.cells[key] in labels]
        return [anything("text", label) for label in labels] if column.type.kind == "any" else labels

    def domain(self, rows: Rowset, column: core.Col) -> list[Any]:
        """What a reference, or a column with few values, may hold."""
        if column.type.kind == "row":
            known = self.allowed.get(column.type.table)
            return rows.tables.get(column.type.table, []) if known is None else known
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


def label_of(table: core.Table) -> str:
    """The column that takes the labels of a wide file; "" of any other table."""
    return table.unpivot.label if table.unpivot is not None else ""


def tell_apart(table: core.Table) -> list[str]:
    """The columns by which rows are told apart; of a wide file there is a row for each label."""
    return list(dict.fromkeys(name for name in (*table.key, label_of(table)) if name))


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


__all__ = ["Making", "tell_apart"]
