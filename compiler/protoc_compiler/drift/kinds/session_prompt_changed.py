"""Checks that a session is asked from the same files."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import differs
from protoc_compiler.drift.model import Delta, Judged

RULE = "Incomparable: it is asked something else."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return differs(delta, "incomparable", f"`{delta.field}`")
