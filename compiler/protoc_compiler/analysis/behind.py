"""What stands behind a formula: its parts, and those of the formulas that it names."""

from __future__ import annotations

from collections.abc import Iterator

from protoc_compiler import core
from protoc_compiler.core.tree import parts


def behind(protocol: core.Protocol, value: core.Expr) -> Iterator[tuple[core.Expr, bool]]:
    """Every part of a formula and of those that it names, and whether it is a name whose formula follows."""
    columns = {(table.name, column.name): column for table in protocol.tables for column in table.columns}
    items = {(item.space, item.name): item for item in protocol.items}
    waiting, seen = [value], set[tuple[str, str]]()
    while waiting:
        for part in parts(waiting.pop()):
            key, made = ("", ""), None
            if isinstance(part, (core.Global, core.Entry)) and (part.space, part.name) in items:
                key, made = (part.space, part.name), items[part.space, part.name].expr
            elif isinstance(part, core.Column) and (part.row.type.table, part.name) in columns:
                key = (part.row.type.table, part.name)
                made = columns[key].expr
            yield part, made is not None
            if made is not None and key not in seen:
                seen.add(key)
                waiting.append(made)
