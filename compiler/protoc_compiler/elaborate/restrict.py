"""A metric as if the study had only the rows of one group: what `with` on a group table computes.

Every read of the grouped table keeps the rows that equal the group's key; every read of a table that refers to it
keeps the rows whose reference does. Study-level values that the metric names are taken in and restricted too;
columns and tables are computed once, for the whole study.
"""

from __future__ import annotations

from protoc_compiler import core
from protoc_compiler.elaborate.context import Context
from protoc_compiler.elaborate.references import references
from protoc_runtime.record import record, replace


@record
class Group:
    """The group: the root of the grouped rows, and (column, its value in the group's row)."""

    root: str
    keys: tuple[tuple[core.Col, core.Expr], ...]


def restricted(el: Context, value: core.Expr, group: Group) -> core.Expr:
    """The value over the group's rows only."""
    if isinstance(value, core.Global) and value.space in ("definitions", "metrics"):
        item = el.item(el.names.items[value.space, value.name])
        inner = item.expr
        if item.withheld is not None:
            inner = core.Choose(item.type, ((item.withheld, core.Const(item.type, None)),), inner)
        return restricted(el, inner, group)
    changes = {
        name: _inside(el, part, group) for name, part in value.__dict__.items() if name not in ("type", "function")
    }
    return replace(value, **changes)


def _inside(el: Context, part: object, group: Group) -> object:
    if isinstance(part, core.Rows):
        return _rows(el, part, group)
    if isinstance(part, core.Expr):
        return restricted(el, part, group)
    if isinstance(part, tuple):
        return tuple(_inside(el, item, group) for item in part)
    return part


def _rows(el: Context, rows: core.Rows, group: Group) -> core.Rows:
    made = replace(
        rows,
        where=tuple(restricted(el, test, group) for test in rows.where),
        match=tuple(replace(match, value=restricted(el, match.value, group)) for match in rows.match),
        order=tuple(restricted(el, key, group) for key in rows.order),
    )
    root = el.table(rows.table, el.spec.title.span).root
    if root == group.root:
        present = {match.column for match in made.match}
        added = tuple(core.Match(column.name, key) for column, key in group.keys if column.name not in present)
        return replace(made, match=(*made.match, *added))
    for column, target in references(el, root):
        already = any(match.column == column for match in made.match)
        if target == group.root and not already:
            var = core.RowVar(core.Type("row", table=root), rows.var)
            owner = core.Column(core.Type("row", table=target), var, column)
            tests = tuple(
                core.Is(
                    core.BOOL,
                    core.Compare(core.BOOL, (core.Column(key_column.type, owner, key_column.name), key), ("==",)),
                    "true",
                )
                for key_column, key in group.keys
            )
            made = replace(made, where=(*tests, *made.where))
    return made
