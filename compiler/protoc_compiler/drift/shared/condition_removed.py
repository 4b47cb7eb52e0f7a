"""Checks that no condition was left out of a formula that keeps all its others."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import counted
from protoc_compiler.drift.model import Delta, Judged
from protoc_compiler.drift.shapes import conditions

RULE = "The direction of the rule itself, or of all gates and blockers that read it, together."


def judge(delta: Delta, context: Context) -> Judged | None:
    """See `RULE`."""
    before, after, *_ = context.formulas(delta)
    old, new = conditions(before, after)
    if not new < old:
        return None
    told = counted(len(old - new), "condition")
    return Judged(context.direction(delta), f"`{delta.thing.shown}` has {told} less")
