"""Checks that a column has no member that it did not have."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import members
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser: rows with this member were refused."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return members(delta, "looser", f"`{delta.thing.shown}` may also be", more=True)
