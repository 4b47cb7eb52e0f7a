"""What reads what: from a changed table, column or value to every rule whose outcome can move with it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from protoc_compiler import core
from protoc_compiler.by_protocol import by_protocol
from protoc_compiler.core.tree import all_nodes
from protoc_compiler.library import ordered_functions
from protoc_runtime.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

Thing = tuple[str, ...]  # ("table", name), ("order", table), ("column", root, name), ("item", space, name),
# ("freeze", name), ("interval", name); and what nothing reads: ("expect", table, name), ("phase", name), and as SHOWN
# does, by its name
SHOWN = ("subject", "judgement", "output")  # what rows and cells are put before, or published by


def needs(protocol: core.Protocol) -> dict[Thing, frozenset[Thing]]:
    """What each table, column and item reads directly."""
    roots = {table.name: table.root for table in protocol.tables}
    made: dict[Thing, frozenset[Thing]] = {}
    for table in protocol.tables:
        parts: set[Thing] = {
            ("table", part) for part in (*table.parts, table.parent, table.root) if part and part != table.name
        }
        parts |= _keys(table, roots)
        rows = set(_reads(table.rows, roots)) if table.rows is not None else set()
        made["table", table.name] = frozenset(parts | rows | _drawn_from(table))
        made["order", table.name] = frozenset(_order(table, protocol, roots))
        for column in table.columns:
            inside = set(_reads(column.expr, roots)) if column.expr is not None else set()
            if column.origin == "metric":
                inside.add(("item", "metrics", column.name))
            elif column.origin in ("key", "stacked"):  # it is that of the rows below
                inside |= {thing for thing in _keys(table, roots) if thing[-1] == column.name}
            elif column.origin == "listed":  # its cells stand in the protocol
                inside.add(("table", table.name))
            made["column", table.name, column.name] = frozenset(inside)
    for item in protocol.items:
        own = {("table", name) for name in item.per}  # they tell which entries there are
        made["item", item.space, item.name] = frozenset({*own, *_reads((item.expr, item.withheld, item.parts), roots)})
    for drawn in protocol.intervals:
        inside = set(_reads((drawn.resample, drawn.follow, drawn.within, drawn.out_of), roots))
        inside |= {("order", rows.table) for rows in (*drawn.resample, *drawn.follow)}  # a draw takes rows by place
        inside |= {("table", name) for name in drawn.per}
        made["interval", drawn.name] = frozenset({("item", "metrics", drawn.metric), *inside})
    return made | dict(_conduct(protocol, roots))


def _conduct(protocol: core.Protocol, roots: dict[str, str]) -> Iterator[tuple[Thing, frozenset[Thing]]]:
    """What is read beside the rules: by what data is expected to be, what lets into a phase, and what shows rows."""
    for table in protocol.tables:
        for item in table.expect:
            yield ("expect", table.name, item.name), frozenset(_reads(item.expr, roots))
    for phase in protocol.phases:
        if phase.enter:
            yield ("phase", phase.name), frozenset({("item", "definitions", phase.enter)})
    yield from _shows(protocol, roots)


def _shows(protocol: core.Protocol, roots: dict[str, str]) -> Iterator[tuple[Thing, frozenset[Thing]]]:
    if protocol.subject is not None:
        seen = _columns(protocol, roots[protocol.subject.unit], protocol.subject.sees)
        yield ("subject", protocol.subject.target), frozenset({("table", protocol.subject.unit), *seen})
    for judgement in protocol.judgements:
        seen = _reads(tuple(value for _, value in judgement.sees), roots)
        yield ("judgement", judgement.name), frozenset({("table", judgement.judges), *seen})
    for output in protocol.outputs:
        if output.of:
            shown = _columns(protocol, roots[output.of], (*output.shows, *output.rejected, *output.digests))
            tables = {("table", name) for name in (output.of, output.kept) if name}
            yield ("output", output.path), frozenset(tables | set(shown))


def _columns(protocol: core.Protocol, root: str, names: Iterable[str]) -> Iterator[Thing]:
    """Columns of a table, also by paths through references: `law.elements`."""
    tables = {table.name: table for table in protocol.tables}
    for name in names:
        table = root
        for part in name.split("."):
            yield ("column", table, part)
            column = tables[table].column(part) if table in tables else None
            table = column.type.table if column is not None else ""


def _keys(table: core.Table, roots: dict[str, str]) -> set[Thing]:
    """The columns of the tables below that a table takes over, or tells rows apart by."""
    below = [table.rows.table] if table.rows is not None else list(table.parts)
    stacked = [column.name for column in table.columns if column.origin == "stacked"]
    names = (*table.group, *stacked, *([table.within] if table.within else []))
    return {("column", roots.get(one, one), name) for one in below for name in names}


def _drawn_from(table: core.Table) -> set[Thing]:
    """What a sample is drawn from by place."""
    return {("order", table.rows.table)} if table.sample is not None and table.rows is not None else set()


def _order(table: core.Table, protocol: core.Protocol, roots: dict[str, str]) -> Iterator[Thing]:
    """What decides the order of a table's rows: that of the rows below, columns, and the words that these have in
    order. The rows that stand in the protocol are in order by themselves."""
    if table.kind in ("subset", "sample") and table.rows is not None:
        yield ("order", table.rows.table)
        yield from _reads(table.rows.order, roots)
        return
    if table.parent:
        yield ("order", table.parent)
    below = table.rows.table if table.rows is not None else table.name
    names = table.key if table.kind == "listed" else (*table.group, *table.order)
    columns = {column.name: column for one in protocol.tables if one.name == roots[below] for column in one.columns}
    for name in names:
        if name in columns:
            yield ("column", roots[below], name)
            if columns[name].type.kind == "row":
                yield ("order", columns[name].type.table)


class Readers:
    """Who reads what, in one protocol."""

    def __init__(self, protocol: core.Protocol) -> None:
        self.readers: dict[Thing, list[Thing]] = {}
        for thing, reads in needs(protocol).items():
            for read in reads:
                self.readers.setdefault(read, []).append(thing)

    def above(self, changed: Iterable[Thing], through: Callable[[Thing], bool] | None = None) -> frozenset[Thing]:
        """These, and everything that reads one of them, directly or through others, where `through` lets pass."""
        found: set[Thing] = set()
        waiting = list(changed)
        while waiting:
            thing = waiting.pop()
            if thing not in found:
                found.add(thing)
                if through is None or through(thing):
                    waiting += self.readers.get(thing, ())
        return frozenset(found)


@by_protocol
def readers(protocol: core.Protocol) -> Readers:
    """Who reads what in this protocol."""
    return Readers(protocol)


def apart(old: core.Protocol, new: core.Protocol, reading: Iterable[Readers]) -> frozenset[Thing]:
    """Every table, column and value of two protocols that may mean something else in the other, or is in one alone:
    those that are declared in another way, and whatever reads them. `reading`: who reads what in them."""
    before, after = (dict(_declared(side)) for side in (old, new))
    changed = [thing for thing in before.keys() | after.keys() if before.get(thing) != after.get(thing)]
    return frozenset().union(*(one.above(changed) for one in reading))


def _declared(protocol: core.Protocol) -> Iterator[tuple[Thing, object]]:
    """What each thing means by itself: its fields but for words and places."""
    for table in protocol.tables:
        yield ("table", table.name), (_told(table, _TABLE), [column.name for column in table.columns])
        for column in table.columns:
            yield ("column", table.name, column.name), _told(column, ())
    for item in protocol.items:
        yield ("item", item.space, item.name), _told(item, ("text", "parts"))
    yield from ((("interval", one.name), _told(one, ())) for one in protocol.intervals)
    yield from ((("freeze", one.name), one) for one in protocol.freeze)


_WORDS = frozenset(("says", "cites", "span", "text"))
_TABLE = ("columns", "expect")  # they are told by themselves


def _told(thing: object, beside: tuple[str, ...]) -> list[object]:
    fields: tuple[str, ...] = getattr(type(thing), "__record_fields__", ())
    return [getattr(thing, name) for name in fields if name not in _WORDS and name not in beside]


def as_one(new: Any, old: Any) -> Any:
    """A protocol, or a part of one, in which formulas and types that stand at the same place of another are the very
    same objects where they are alike: what compares them then sees it at once."""
    kind = type(new)
    if kind is not type(old):
        return new
    if kind is tuple and new and type(new[0]) in _HOLDING:
        known = {_place(one): one for one in old}
        return tuple([as_one(one, known.get(_place(one))) for one in new])
    if kind in _HOLDING:
        return replace(new, **{name: as_one(getattr(new, name), getattr(old, name)) for name in _HOLDING[kind]})
    return old if new == old else new


_HOLDING: dict[type, tuple[str, ...]] = {
    core.Protocol: ("tables", "items", "intervals"),
    core.Table: ("rows", "columns", "expect"),
    core.Col: ("type", "expr"),
    core.Item: ("expr", "parts", "withheld"),
    core.Interval: ("resample", "follow", "within", "out_of"),
}


def _place(part: Any) -> tuple[str, str]:
    return getattr(part, "space", ""), part.name


def read_by(protocol: core.Protocol, value: core.Expr) -> frozenset[Thing]:
    """What a formula reads directly."""
    return frozenset(_reads(value, {table.name: table.root for table in protocol.tables}))


def _reads(value: object, roots: dict[str, str]) -> Iterator[Thing]:
    if isinstance(value, tuple):
        for part in value:
            yield from _reads(part, roots)
    elif isinstance(value, (core.Expr, core.Rows)):
        for node in all_nodes(value):
            if type(node) in _NAMING:
                yield from _named(node, roots)


_NAMING = {core.Column, core.Global, core.Entry, core.Bound, core.Rows, core.Aggregate, core.OneRow}


def _named(node: object, roots: dict[str, str]) -> Iterator[Thing]:
    """What a node names itself."""
    if isinstance(node, core.Column):
        yield ("column", node.row.type.table, node.name)
    elif isinstance(node, (core.Global, core.Entry)):
        yield ("freeze", node.name) if node.space == "freeze" else ("item", node.space, node.name)
    elif isinstance(node, core.Bound):
        yield ("interval", node.interval)
    elif isinstance(node, (core.Aggregate, core.OneRow)):
        if node.function in ordered_functions() and not node.rows.order:
            yield ("order", node.rows.table)
    elif isinstance(node, core.Rows):
        yield ("table", node.table)
        if node.scope != "all":
            yield ("order", node.table)
        root = roots.get(node.table, node.table)
        yield from (("column", root, match.column) for match in node.match)
