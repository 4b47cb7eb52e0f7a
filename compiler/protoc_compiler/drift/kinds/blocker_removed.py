"""Checks that no blocker is gone: one thing less stops a release."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser: one thing less stops a release."


def judge(delta: Delta, context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged(context.direction(delta), f"blocker `{delta.thing.shown}` is gone: one thing less stops a release")
