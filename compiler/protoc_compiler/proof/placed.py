"""What tells the order of rows: formulas that read it are alike in two protocols only where it is the same."""

from __future__ import annotations

from collections.abc import Mapping

from protoc_compiler import core
from protoc_compiler.library import ordered_functions
from protoc_runtime.record import replace

Tables = Mapping[str, core.Table]


def placed(rows: core.Rows, name: str, tables: Tables, function: str = "") -> core.Rows:
    """Closed rows of the table `name`, with the order of that table written to them where something reads it: one of
    the functions that do, or `earlier` and `latest`."""
    if rows.scope == "all" and (function not in ordered_functions() or rows.order):
        return rows  # rows that tie in an order of their own stop the run, whatever that of the table is
    return replace(rows, order=(*rows.order, core.Const(core.TEXT, order_of_rows(name, tables))))


def order_of_rows(name: str, tables: Tables) -> str:
    """The order of a table's rows in words: the columns that decide it, each with the words that have an order."""
    table = tables[name]
    if table.kind in ("subset", "sample") and table.rows is not None:
        own = words_in_order(table.rows.order)
        return order_of_rows(table.rows.table, tables) + (f", then by {own}" if own else "")
    root = tables[table.root]
    if root.kind == "listed":
        return f"as listed: {', '.join(root.labels)}"
    if table.group:
        below = tables[table.rows.table] if table.rows is not None else root
        return f"groups of {', '.join(_told(column, tables[below.root], tables) for column in table.group)}"
    return f"by {', '.join(_told(column, root, tables) for column in root.order) or 'file'}"


def words_in_order(values: tuple[core.Expr, ...]) -> str:
    """The words by whose declared order rows are put in order, or into strata."""
    return ", ".join(f"({', '.join(value.type.members)})" for value in values if value.type.members)


def shuffled(old: core.Protocol, new: core.Protocol) -> frozenset[str]:
    """The tables of both protocols whose rows stand in another order."""
    sides: list[Tables] = [{table.name: table for table in side.tables} for side in (old, new)]
    both = sides[0].keys() & sides[1].keys()
    return frozenset(name for name in both if len({order_of_rows(name, tables) for tables in sides}) > 1)


def recelled(old: core.Protocol, new: core.Protocol) -> frozenset[tuple[str, str]]:
    """The columns (table, name) of listed tables of both protocols that have other cells, in whatever order."""
    sides = [
        {
            (table.name, column.name): dict(table.cells(column.name))
            for table in side.tables for column in table.columns if column.origin == "listed"
        }
        for side in (old, new)
    ]  # fmt: skip
    return frozenset(key for key in sides[0].keys() & sides[1].keys() if sides[0][key] != sides[1][key])


def _told(name: str, table: core.Table, tables: Tables) -> str:
    column = table.column(name)
    members = column.type.members if column is not None else ()
    if column is not None and column.type.kind == "row" and tables[column.type.table].kind == "listed":
        members = tables[column.type.table].labels
    return f"{name} ({', '.join(members)})" if members else name
