"""Checks that no gate is gone: a gate less must hold."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser: a gate less must hold."


def judge(delta: Delta, context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged(context.direction(delta), f"gate `{delta.thing.shown}` is gone: a gate less must hold")
