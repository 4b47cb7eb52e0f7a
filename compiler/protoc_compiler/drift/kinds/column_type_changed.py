"""Checks that a column has the same type and unit."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import other_type
from protoc_compiler.drift.model import Delta, Judged

RULE = "Incomparable: other values are read, or the same ones mean something else."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return other_type(delta, "incomparable", f"type of `{delta.thing.shown}`")
