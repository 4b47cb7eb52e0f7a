"""Checks that the rows of a formula pass the same filters, where nothing else differs."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged
from protoc_compiler.drift.shapes import filterless
from protoc_compiler.drift.shared.comparing import filtered

RULE = "The direction of the rule itself, or of all gates and blockers that read it, together."


def judge(delta: Delta, context: Context) -> Judged | None:
    """See `RULE`."""
    before, after, *_ = context.formulas(delta)
    if before == after or filterless(before) != filterless(after):
        return None
    return Judged(context.direction(delta), f"`{delta.thing.shown}` reads {filtered(before, after)}")
