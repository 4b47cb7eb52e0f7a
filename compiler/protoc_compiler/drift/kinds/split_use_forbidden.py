"""Checks that a split may be used for everything that it might."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import used
from protoc_compiler.drift.model import Delta, Judged

RULE = "Stricter: its rows serve one purpose less."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return used(delta, "stricter", f"split `{delta.thing.name}` may no longer be used to", more=False)
