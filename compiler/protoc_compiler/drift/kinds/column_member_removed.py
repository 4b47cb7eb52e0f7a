"""Checks that a column has every member that it had."""

from __future__ import annotations

from protoc_compiler.drift.bringing import brings
from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import members
from protoc_compiler.drift.model import Delta, Judged

RULE = (
    "Stricter: rows with this member are refused now; of a column that no data fills the direction of all gates and "
    "blockers that read it."
)


def judge(delta: Delta, context: Context) -> Judged | None:
    """See `RULE`."""
    way = "stricter" if brings(delta, context) else context.direction(delta)
    return members(delta, way, f"`{delta.thing.shown}` may no longer be", more=False)
