"""Checks that the members of a column stand in the same order."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import same_members
from protoc_compiler.drift.model import Delta, Judged

RULE = "The direction of all gates and blockers that read the column: the order of groups and strata follows it."


def judge(delta: Delta, context: Context) -> Judged | None:
    """See `RULE`."""
    return same_members(delta, context.direction(delta), f"members of `{delta.thing.shown}` stand in another order")
