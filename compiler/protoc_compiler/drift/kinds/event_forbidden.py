"""Checks that a session may do everything that it might."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import lost
from protoc_compiler.drift.model import Delta, Judged

RULE = "Stricter: such an event sets a case apart."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return lost(delta, "stricter", "events of a session that may no longer occur")
