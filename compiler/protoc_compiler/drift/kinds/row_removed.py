"""Checks that no row is gone."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "The direction of all gates and blockers that read it, together; equivalent where none does."


def judge(delta: Delta, context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged(context.direction(delta), f"row `{delta.thing.shown}` is gone")
