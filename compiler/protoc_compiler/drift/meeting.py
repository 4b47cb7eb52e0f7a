"""Two protocols that take the same rows, though one of them has columns that the other does not declare.

Whether a rule lets more pass is asked of the same rows. A column that came or went is in them, and the side that does
not declare it has it here, too, where nothing reads it: it decides as it does without.
"""

from __future__ import annotations

from protoc_compiler import core
from protoc_compiler.core.tree import all_nodes
from protoc_compiler.proof.scored import SPLITS
from protoc_runtime.record import replace

_KINDS = ("input", "nested")


def met(old: core.Protocol, new: core.Protocol) -> tuple[core.Protocol, core.Protocol]:
    """Both, each with the columns that only the other has; as they are where a digest of whole rows is computed."""
    if any(map(_digests, (old, new))):
        return old, new
    sides = (old, new)
    known = [{table.name: table for table in side.tables} for side in sides]
    wider: list[dict[str, core.Table]] = [{}, {}]
    for name in known[0].keys() & known[1].keys():
        one, two = known[0][name], known[1][name]
        if _shape(one) == _shape(two) and one.kind in _KINDS:
            more = [_only(one, two, known), _only(two, one, known)]
            if any(more):
                order = [column.name for column in (*two.columns, *more[0])]
                wider[0][name] = _with(one, more[1], order)
                wider[1][name] = _with(two, more[0], order)
    made = [
        replace(side, tables=tuple(own.get(table.name, table) for table in side.tables))
        for side, own in zip(sides, wider, strict=True)
    ]
    return made[0], made[1]


def _digests(protocol: core.Protocol) -> bool:
    values = [item.expr for item in (*protocol.items, *[item for table in protocol.tables for item in table.expect])]
    values += [column.expr for table in protocol.tables for column in table.columns if column.expr is not None]
    return any(
        type(node) is core.Aggregate and node.function == "digest" for value in values for node in all_nodes(value)
    )


def _shape(table: core.Table) -> tuple[object, ...]:
    return table.kind, table.key, table.order, table.parent, table.record, table.unpivot


def _only(one: core.Table, other: core.Table, known: list[dict[str, core.Table]]) -> list[core.Col]:
    """The columns in the rows of a table that another version of it does not have under any form."""
    names = {column.name for column in other.columns}
    fixed = one.unpivot is not None
    return [
        column for column in one.columns
        if column.name not in names and column.expr is None and not fixed and _plain(column.type, known)
    ]  # fmt: skip


def _plain(kind: core.Type, known: list[dict[str, core.Table]]) -> bool:
    """Whether both sides understand the values: one that refers to rows ties tables together."""
    if kind.kind == "row":
        cells = [
            (table.kind, table.key, table.listed) if table is not None else ()
            for table in (side.get(kind.table) for side in known)
        ]
        return cells[0] == cells[1] and "listed" in cells[0] and kind.table != SPLITS
    return kind.item is None or _plain(kind.item, known)


def _with(table: core.Table, more: list[core.Col], order: list[str]) -> core.Table:
    """The table with more columns; those in rows stand in the same order on both sides."""
    columns = sorted(
        (*table.columns, *more),
        key=lambda column: (column.expr is not None, order.index(column.name) if column.name in order else len(order)),
    )
    return replace(table, columns=tuple(columns))
