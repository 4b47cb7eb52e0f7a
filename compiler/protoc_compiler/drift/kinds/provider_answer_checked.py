"""Checks that nothing is asked of an answer that was not."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Stricter: not every answer is acceptable."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged("stricter", f"answers of provider `{delta.thing.name}` are checked now") if delta.after else None
