"""Checks that a column gets its values in the same way."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import differs
from protoc_compiler.drift.model import Delta, Judged

RULE = "The direction of all gates and blockers that read the column."


def judge(delta: Delta, context: Context) -> Judged | None:
    """See `RULE`."""
    return differs(delta, context.direction(delta), f"origin of `{delta.thing.shown}`")
