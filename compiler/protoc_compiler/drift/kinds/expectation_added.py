"""Checks that no expectation is there that was not: data is refused that was not."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Stricter: data is refused that was not."


def judge(delta: Delta, context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged(context.direction(delta), f"expectation `{delta.thing.shown}` is new: data is refused that was not")
