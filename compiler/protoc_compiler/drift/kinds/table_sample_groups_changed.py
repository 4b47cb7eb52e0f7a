"""Checks that a sample is drawn from the same groups."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import differs
from protoc_compiler.drift.model import Delta, Judged

RULE = "The direction of all gates and blockers that read the sample: other rows are drawn."


def judge(delta: Delta, context: Context) -> Judged | None:
    """See `RULE`."""
    return differs(delta, context.direction(delta), f"groups of the sample `{delta.thing.shown}`")
