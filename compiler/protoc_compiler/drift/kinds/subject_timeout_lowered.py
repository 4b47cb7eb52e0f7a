"""Checks that every call may take as long as before."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import fell
from protoc_compiler.drift.model import Delta, Judged

RULE = "Stricter: what was an answer may be a time-out."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return fell(delta, "stricter", "time-out of the subject, in seconds")
