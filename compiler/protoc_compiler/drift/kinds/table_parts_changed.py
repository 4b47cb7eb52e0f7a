"""Checks that a product or stack has the same parts."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import differs
from protoc_compiler.drift.model import Delta, Judged

RULE = "The direction of all gates and blockers that read the table."


def judge(delta: Delta, context: Context) -> Judged | None:
    """See `RULE`."""
    return differs(delta, context.direction(delta), f"parts of `{delta.thing.shown}`")
