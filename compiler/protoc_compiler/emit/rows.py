"""The rows that a package reads, as its models and schemas describe them: the same fields as the runtime's reader."""

from __future__ import annotations

from functools import lru_cache

from protoc_compiler import core, identity
from protoc_runtime.declared import Declared, load
from protoc_runtime.reading.layout import Layout, layout
from protoc_runtime.record import record


@record
class Rows:
    """One table or record whose rows come from outside, with the layout of a row as it is written."""

    name: str
    record: bool
    says: str
    layout: Layout


@lru_cache(maxsize=4)
def of(protocol: core.Protocol) -> tuple[Rows, ...]:
    """The input tables and records of a protocol, in declared order."""
    declared: Declared = load(identity.canonical(protocol))
    return tuple(
        Rows(table.name, table.record, table.says, layout(declared, table))
        for table in declared.tables
        if table.kind == "input"
    )


def words(rows: Rows) -> str:
    """What a table holds, in the author's words where there are some."""
    return rows.says or (f"the record `{rows.name}`" if rows.record else f"one row of `{rows.name}`")
