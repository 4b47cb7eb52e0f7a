"""Checks that the level of an interval is not lower."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import fell
from protoc_compiler.drift.model import Delta, Judged

RULE = "The direction of the rules that read a bound of it, together; equivalent where none does."


def judge(delta: Delta, context: Context) -> Judged | None:
    """See `RULE`."""
    return fell(delta, context.direction(delta), f"level of interval `{delta.thing.name}`")
