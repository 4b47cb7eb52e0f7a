"""Checks that a row that stands in the spec has the same values."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import cells
from protoc_compiler.drift.model import Delta, Judged

RULE = "The direction of all gates and blockers that read the table."


def judge(delta: Delta, context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged(context.direction(delta), f"row `{delta.thing.shown}` has other values: {cells(delta)}")
