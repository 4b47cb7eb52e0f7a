"""Checks that a phase compares no further column of decisions."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import gained
from protoc_compiler.drift.model import Delta, Judged

RULE = "Stricter: no decision may differ in it from what was judged."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return gained(delta, "stricter", f"phase `{delta.thing.name}` compares")
