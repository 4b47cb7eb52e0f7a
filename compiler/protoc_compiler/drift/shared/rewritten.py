"""Checks that a formula is written in the same way, where it is equal up to algebra."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Equivalent: both have one normal form."


def judge(delta: Delta, context: Context) -> Judged | None:
    """See `RULE`."""
    _, _, before, after = context.formulas(delta)
    kinds = [side.fields.get("type") for side in (delta.old, delta.new) if side is not None]
    if len({kind.unit for kind in kinds if kind is not None}) > 1:
        return None
    return (
        Judged("equivalent", f"`{delta.thing.shown}` is written differently and means the same")
        if before == after
        else None
    )
