"""Checks that a claim may be made on the strength of every verdict that allowed it."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import lost
from protoc_compiler.drift.model import Delta, Judged

RULE = "Stricter: it may not be made after this verdict any more."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return lost(delta, "stricter", f"claim `{delta.thing.name}` may no longer be made after")
