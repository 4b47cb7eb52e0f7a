"""Checks that a first-match list has no line that it did not have."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import counted
from protoc_compiler.drift.model import Delta, Judged
from protoc_compiler.drift.shared.comparing import lines

RULE = "The direction of the rule itself, or of all gates and blockers that read it, together."


def judge(delta: Delta, context: Context) -> Judged | None:
    """See `RULE`."""
    before, after = lines(context, delta)
    if before is None or after is None or not set(before) < set(after):
        return None
    told = counted(len(set(after) - set(before)), "line")
    return Judged(context.direction(delta), f"`{delta.thing.shown}` has {told} more")
