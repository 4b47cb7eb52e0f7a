"""Checks that a phase may change every file that it might."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import lost
from protoc_compiler.drift.model import Delta, Judged

RULE = "Stricter: the candidate may not differ in it."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return lost(delta, "stricter", f"phase `{delta.thing.name}` may no longer change")
