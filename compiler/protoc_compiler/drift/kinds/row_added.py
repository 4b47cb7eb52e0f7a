"""Checks that no row is there that was not."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import referring
from protoc_compiler.drift.model import Delta, Judged

RULE = (
    "The direction of all gates and blockers that read it, together; equivalent where none does. Of rows that refer to "
    "it one of both protocols takes none: rules are compared on other rows."
)


def judge(delta: Delta, context: Context) -> Judged | None:
    """See `RULE`."""
    beside = referring(context.new, delta, "old")
    return Judged(context.direction(delta), f"row `{delta.thing.shown}` is new{beside}")
