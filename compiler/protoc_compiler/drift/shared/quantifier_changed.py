"""Checks that `all`, `some` and `no` stand where they stood, where nothing else differs."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged
from protoc_compiler.drift.shapes import quantifierless

RULE = "The direction of the rule itself, or of all gates and blockers that read it, together."


def judge(delta: Delta, context: Context) -> Judged | None:
    """See `RULE`."""
    before, after, *_ = context.formulas(delta)
    if before == after or quantifierless(before) != quantifierless(after):
        return None
    return Judged(context.direction(delta), f"`{delta.thing.shown}` asks it of another number of rows: all, some or no")
