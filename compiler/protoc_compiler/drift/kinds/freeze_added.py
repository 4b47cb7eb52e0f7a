"""Checks that no freeze is there that was not: one value more is fixed in advance."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Stricter: one value more is fixed in advance."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged("stricter", f"freeze `{delta.thing.shown}` is new: one value more is fixed in advance")
