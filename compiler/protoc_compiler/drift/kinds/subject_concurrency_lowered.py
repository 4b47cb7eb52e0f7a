"""Checks that as much may run at once as before."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import fell
from protoc_compiler.drift.model import Delta, Judged

RULE = "Stricter: less is permitted at once."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return fell(delta, "stricter", "at once by the subject")
