"""Two protocols that take the same rows, though one of them has columns that the other does not declare, or lets other
cells into one.

Whether a rule lets more pass is asked of the same rows. A column that came or went is in them, and the side that does
not declare it has it here, too, where nothing reads it: it decides as it does without. A word that only one side knows,
or an empty cell that only one takes, is in no row that both decide: cases are looked for among the others.
"""

from __future__ import annotations

from protoc_compiler import core
from protoc_compiler.core.tree import all_nodes
from protoc_compiler.proof.scored import SPLITS
from protoc_runtime.record import replace

_KINDS = ("input", "nested")


def met(old: core.Protocol, new: core.Protocol) -> tuple[core.Protocol, core.Protocol]:
    """Both, each with the columns that only the other has; as they are where a digest of whole rows is computed."""
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
    if not any(wider) or any(map(_digests, sides)):
        return sides
    made = [
        replace(side, tables=tuple(own.get(table.name, table) for table in side.tables))
        for side, own in zip(sides, wider, strict=True)
    ]
    return made[0], made[1]


def narrowed(old: core.Protocol, new: core.Protocol) -> tuple[core.Protocol, core.Protocol]:
    """Both, with the words and empty cells that both let into a column, so that each takes what the other does. Of such
    rows they say what they say without this; what cannot happen on them may happen on others."""
    known = {table.name: table for table in old.tables}
    less: list[dict[str, core.Table]] = [{}, {}]
    for two in new.tables:
        one = known.get(two.name)
        if one is None or _shape(one) != _shape(two) or one.kind not in _KINDS or one.unpivot is not None:
            continue
        shared = {name: kind for name in (column.name for column in two.columns) if (kind := _shared(one, two, name))}
        for table, made in zip((one, two), less, strict=True) if shared else ():
            columns = [
                replace(column, type=shared[column.name][0], optional=shared[column.name][1])
                if column.name in shared else column for column in table.columns
            ]  # fmt: skip
            made[table.name] = replace(table, columns=tuple(columns))
    sides = [
        replace(side, tables=tuple(own.get(table.name, table) for table in side.tables)) if own else side
        for side, own in zip((old, new), less, strict=True)
    ]
    return sides[0], sides[1]


def _shared(one: core.Table, two: core.Table, name: str) -> tuple[core.Type, bool] | None:
    """What both let into a column that is not alike: the type, and whether a cell may be empty; None where the column
    is alike, or nothing can be told."""
    before, after = one.column(name), two.column(name)
    if before is None or after is None or (before.expr, after.expr) != (None, None):
        return None
    if "adjudicated" in (before.origin, after.origin):  # what people may say stands in their questions, too
        return None
    optional = before.optional and after.optional
    if before.type == after.type:
        return (after.type, optional) if before.optional != after.optional else None
    words = [[word for word in here.type.members if word in there.type.members] for here, there in
             ((before, after), (after, before))]  # fmt: skip
    if before.type.kind != "enum" or after.type.kind != "enum" or not words[0] or words[0] != words[1]:
        return None
    return replace(after.type, members=tuple(words[0])), optional


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
