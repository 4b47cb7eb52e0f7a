"""Checks that a split that could be scored freely is not limited to once."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Stricter: one reading uses it up."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return (
        Judged("stricter", f"split `{delta.thing.name}` may be scored only once")
        if "score" in delta.before and "score once" in delta.after
        else None
    )
