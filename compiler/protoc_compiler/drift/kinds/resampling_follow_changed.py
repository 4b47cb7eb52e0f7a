"""Checks that an interval has the same follow."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "The direction of the rules that read a bound of it, together; equivalent where none does."


def judge(delta: Delta, context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged(context.direction(delta), f"interval `{delta.thing.name}`: what follows the draw is another")
