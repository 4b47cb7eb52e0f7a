"""Checks that a column has every member that it had."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import members
from protoc_compiler.drift.model import Delta, Judged

RULE = "Stricter: rows with this member are refused now."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return members(delta, "stricter", f"`{delta.thing.shown}` may no longer be", more=False)
