"""Checks that no words of this kind were left out."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Text: nothing computes with it; a person reads it."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged("text", f"`{delta.thing.shown}` is gone")
