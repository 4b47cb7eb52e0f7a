"""What a resampling draw changes: everything that reads a drawn table, directly or through others.

A drawn row is a copy that brings its own rows along. A column that reads only the rows which belong to its own row has
the same value in every copy: it is not computed anew, or the rows that two copies bring would be counted twice in each.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import TypeGuard

from protoc_compiler import core

Thing = tuple[str, ...]


def changed_by(protocol: core.Protocol, interval: core.Interval) -> frozenset[Thing]:
    """The tables, columns and items whose value can differ once the tables of an interval are drawn anew."""
    needs = {thing: frozenset(reads) for thing, reads in _Needs(protocol, interval).all()}
    changed: set[Thing] = {("table", name) for name in drawn_tables(interval)}
    grown = True
    while grown:
        found = {thing for thing, reads in needs.items() if thing not in changed and reads & changed}
        grown = bool(found)
        changed |= found
    return frozenset(changed)


def redrawn(protocol: core.Protocol, interval: core.Interval) -> frozenset[Thing]:
    """What is computed anew on every draw: what the metric of an interval reads, directly or through others, and the
    draw changes."""
    needs, changed = dict(_Needs(protocol, interval).all()), changed_by(protocol, interval)
    found: set[Thing] = set()
    waiting: list[Thing] = [("item", "metrics", interval.metric)]
    while waiting:
        thing = waiting.pop()
        if thing in changed and thing not in found:
            found.add(thing)
            waiting += needs.get(thing, ())
    return frozenset(found)


def drawn_tables(interval: core.Interval) -> tuple[str, ...]:
    """The tables that are drawn, and those that follow."""
    return tuple(dict.fromkeys(rows.table for rows in (*interval.resample, *interval.follow)))


class _Needs:
    """What each table, column and item reads, as far as a draw of one interval can change it."""

    def __init__(self, protocol: core.Protocol, interval: core.Interval) -> None:
        self.tables = {table.name: table for table in protocol.tables}
        self.protocol = protocol
        alone = len(interval.resample) == 1  # of several sets, one changes what belongs to a row of another
        self.copied = {self._root(name) for name in drawn_tables(interval)} if alone else set()
        self.unit = {self._root(rows.table) for rows in interval.resample}

    def all(self) -> Iterator[tuple[Thing, set[Thing]]]:
        """Each thing with what it reads."""
        for table in self.protocol.tables:
            reads: set[Thing] = {("table", part) for part in (*table.parts, table.parent) if part}
            reads |= set(self._reads(table.rows)) if table.rows is not None else set()
            yield ("table", table.name), reads
            for column in table.columns:
                if column.expr is not None:
                    own = frozenset({"self"}) if table.name in self.copied else frozenset[str]()
                    yield ("column", table.name, column.name), set(self._reads(column.expr, own))
        for item in self.protocol.items:
            yield ("item", item.space, item.name), set(self._reads((item.expr, item.withheld)))

    def _reads(self, node: object, own: frozenset[str] = frozenset()) -> Iterator[Thing]:
        """`own` are the variables of the row itself and of rows that belong to it."""
        if isinstance(node, tuple):
            for part in node:
                yield from self._reads(part, own)
            return
        if isinstance(node, core.Column):
            yield ("column", node.row.type.table, node.name)
        elif isinstance(node, (core.Global, core.Entry)):
            yield ("item", node.space, node.name)
        elif isinstance(node, core.Rows):
            yield from (("column", self._root(node.table), match.column) for match in node.match)
            yield from self._own_rows(node, own) if self.belongs(node, own) else (("table", node.table),)
        own = own | _opened(node, self, own)
        for name in getattr(type(node), "__record_fields__", ()):
            if name not in ("type", "span"):
                yield from self._reads(getattr(node, name), own)

    def belongs(self, rows: core.Rows, own: frozenset[str]) -> bool:
        """Whether rows are narrowed to a row of which each copy brings its own."""
        if rows.scope != "all" or self._root(rows.table) in self.unit:
            return False
        return any(_is_own(match.value, own) for match in rows.match) or self._of_group(rows, own)

    def _of_group(self, rows: core.Rows, own: frozenset[str]) -> bool:
        """Whether rows are those of a group: equal in all that it is grouped by."""
        read = {match.value.name for match in rows.match if _of_own(match.value, own)}
        groups = {match.value.row.type.table for match in rows.match if _of_own(match.value, own)}
        return any(set(self.tables[name].group or ("",)) <= read for name in groups if name in self.tables)

    def _own_rows(self, rows: core.Rows, own: frozenset[str]) -> Iterator[Thing]:
        """By what the own rows of a row can still change: a filter, or the other factor of a product."""
        table = yield from self._filters(rows.table, own)
        if table is None or table.kind in ("input", "nested"):
            return
        if table.kind != "cross":
            yield ("table", table.name)
            return
        tied = {match.column for match in rows.match if _is_own(match.value, own)}
        for part in table.parts:
            if part in tied:
                yield from self._filters(part, own)
            else:
                yield ("table", part)

    def _filters(self, name: str, own: frozenset[str]) -> Generator[Thing, None, core.Table | None]:
        """What the filters of a subset read; its root."""
        table = self.tables.get(name)
        while table is not None and table.kind == "subset" and table.rows is not None:
            yield from self._reads(table.rows.where, own | {table.rows.var})
            table = self.tables.get(table.rows.table)
        return table

    def _root(self, name: str) -> str:
        return self.tables[name].root if name in self.tables else name


def _is_own(value: core.Expr, own: frozenset[str]) -> bool:
    return isinstance(value, core.RowVar) and value.var in own


def _of_own(value: core.Expr, own: frozenset[str]) -> TypeGuard[core.Column]:
    return isinstance(value, core.Column) and _is_own(value.row, own)


def _opened(node: object, needs: _Needs, own: frozenset[str]) -> frozenset[str]:
    """The rows that a formula opens, if they belong to the row."""
    rows = node if isinstance(node, core.Rows) else getattr(node, "rows", None)
    return frozenset({rows.var}) if isinstance(rows, core.Rows) and needs.belongs(rows, own) else frozenset()
