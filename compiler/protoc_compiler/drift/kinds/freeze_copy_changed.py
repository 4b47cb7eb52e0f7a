"""Checks that the same block of targets is copied."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Incomparable: other targets are fixed."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged("incomparable", f"`{delta.thing.shown}` copies another block")
