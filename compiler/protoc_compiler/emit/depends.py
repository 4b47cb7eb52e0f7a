"""What a resampling draw changes: everything that reads a drawn table, directly or through others."""

from __future__ import annotations

from collections.abc import Iterator

from protoc_compiler import core

Thing = tuple[str, ...]


def changed_by(protocol: core.Protocol, tables: frozenset[str]) -> frozenset[Thing]:
    """The tables, columns and items whose value can differ once these tables are drawn anew."""
    needs = {thing: frozenset(reads) for thing, reads in _all(protocol)}
    changed: set[Thing] = {("table", name) for name in tables}
    grown = True
    while grown:
        found = {thing for thing, reads in needs.items() if thing not in changed and reads & changed}
        grown = bool(found)
        changed |= found
    return frozenset(changed)


def redrawn(protocol: core.Protocol, interval: core.Interval) -> frozenset[Thing]:
    """What is computed anew on every draw: what the metric of an interval reads, directly or through others, and the
    draw changes."""
    needs = dict(_all(protocol))
    found: set[Thing] = set()
    waiting: list[Thing] = [("item", "metrics", interval.metric)]
    while waiting:
        thing = waiting.pop()
        if thing not in found:
            found.add(thing)
            waiting += needs.get(thing, ())
    drawn = (rows.table for rows in (*interval.resample, *interval.follow))
    return frozenset(found) & changed_by(protocol, frozenset(drawn))


def _all(protocol: core.Protocol) -> Iterator[tuple[Thing, set[Thing]]]:
    roots = {table.name: table.root for table in protocol.tables}
    for table in protocol.tables:
        reads: set[Thing] = {("table", part) for part in (*table.parts, table.parent) if part}
        reads |= set(_reads(table.rows, roots)) if table.rows is not None else set()
        yield ("table", table.name), reads
        for column in table.columns:
            if column.expr is not None:
                yield ("column", table.name, column.name), set(_reads(column.expr, roots))
    for item in protocol.items:
        yield ("item", item.space, item.name), set(_reads((item.expr, item.withheld), roots))


def _reads(node: object, roots: dict[str, str]) -> Iterator[Thing]:
    if isinstance(node, tuple):
        for part in node:
            yield from _reads(part, roots)
        return
    if isinstance(node, core.Column):
        yield ("column", node.row.type.table, node.name)
    elif isinstance(node, (core.Global, core.Entry)):
        yield ("item", node.space, node.name)
    elif isinstance(node, core.Rows):
        yield ("table", node.table)
        root = roots.get(node.table, node.table)
        yield from (("column", root, match.column) for match in node.match)
    for name in getattr(type(node), "__record_fields__", ()):
        if name not in ("type", "span"):
            yield from _reads(getattr(node, name), roots)
