"""Checks that rows are grouped by the same columns."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import differs
from protoc_compiler.drift.model import Delta, Judged

RULE = "The direction of all gates and blockers that read the groups."


def judge(delta: Delta, context: Context) -> Judged | None:
    """See `RULE`."""
    return differs(delta, context.direction(delta), f"`{delta.thing.shown}` is grouped by")
