"""Checks that no expectation is gone: data is let through that was refused."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser: data is let through that was refused."


def judge(delta: Delta, context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged(
        context.direction(delta), f"expectation `{delta.thing.shown}` is gone: data is let through that was refused"
    )
