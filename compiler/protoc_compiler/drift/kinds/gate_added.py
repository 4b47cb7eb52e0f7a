"""Checks that no gate is there that was not: a gate more must hold."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Stricter: a gate more must hold."


def judge(delta: Delta, context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged(context.direction(delta), f"gate `{delta.thing.shown}` is new: a gate more must hold")
