"""Checks that a phase compares every column of decisions that it compared."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import lost
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser: a decision may differ in it from what was judged."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return lost(delta, "looser", f"phase `{delta.thing.name}` no longer compares")
