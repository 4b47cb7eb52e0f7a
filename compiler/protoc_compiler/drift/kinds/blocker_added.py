"""Checks that no blocker is there that was not: one thing more stops a release."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Stricter: one thing more stops a release."


def judge(delta: Delta, context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged(context.direction(delta), f"blocker `{delta.thing.shown}` is new: one thing more stops a release")
