"""The references between tables."""

from __future__ import annotations

from protoc_compiler.elaborate.context import Context


def references(el: Context, root: str) -> list[tuple[str, str]]:
    """The declared columns of a table that refer to another, with the table they refer to."""
    table = el.table(root, el.spec.title.span)
    columns = table.columns
    if table.kind == "stack":
        names = {column.name for part in table.parts for column in el.table(part, el.spec.title.span).columns}
        columns = tuple(found for name in sorted(names) if (found := el.column(root, name)) is not None)
    return [(column.name, column.type.table) for column in columns if column.type.kind == "row"]
