"""Checks that a thing cites the same rules of its source."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import cited
from protoc_compiler.drift.model import Delta, Judged

RULE = "Text: people follow it."


def judge(delta: Delta, context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged("text", f"`{delta.thing.shown}` cites {cited(delta.after)} (before: {cited(delta.before)})")
