"""Checks that a phase has the same owner."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import differs
from protoc_compiler.drift.model import Delta, Judged

RULE = "Text: it is said who answers for it."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return differs(delta, "text", f"phase `{delta.thing.name}`, owner")
