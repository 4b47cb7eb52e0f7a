"""Checks that splits stand in the same order, which `first`, `earlier` and others of their kind read."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "The direction of all gates and blockers that read the order; equivalent where none does."


def judge(delta: Delta, context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged(context.direction(delta), "splits stand in another order")
