"""Whether the values of a column come with the data, so that another column lets other rows through."""

from __future__ import annotations

from protoc_compiler.drift.model import Delta

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from protoc_compiler import core

    class Sides(Protocol):
        """Two protocols, as far as is asked here."""

        old: core.Protocol
        new: core.Protocol


_MADE = ("key", "stacked", "metric", "derived")  # of what other columns hold, which tell of themselves


def brings(delta: Delta, context: Sides) -> bool:
    """Whether data fills the column. What stands in the spec lets no row through, but for the labels of a listed
    table: rows that refer to it may hold these."""
    origin = delta.thing.fields.get("origin")
    return _referred(delta, context) if origin == "listed" else origin not in _MADE


def _referred(delta: Delta, context: Sides) -> bool:
    table = delta.thing.owner
    tables = [one for side in (context.old, context.new) for one in side.tables]
    if not any(one.name == table and delta.thing.name == f"{table}.{name}" for one in tables for name in one.key):
        return False
    return any(
        column.type.table == table for one in tables if one.kind in ("input", "nested")
        for column in one.columns if column.expr is None
    )  # fmt: skip


__all__ = ["brings"]
