"""Checks that every comparison has the same operator, where nothing else but numbers differs."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged
from protoc_compiler.drift.shapes import comparisonless, numberless

RULE = "The direction of the rule itself, or of all gates and blockers that read it, together."


def judge(delta: Delta, context: Context) -> Judged | None:
    """See `RULE`."""
    before, after, *_ = context.formulas(delta)
    if before == after or numberless(comparisonless(before)) != numberless(comparisonless(after)):
        return None
    return Judged(context.direction(delta), f"`{delta.thing.shown}` compares with another operator")
