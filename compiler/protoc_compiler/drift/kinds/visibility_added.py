"""Checks that no hidden column is there that was not."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Stricter: who must not see it is said and proved."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged("stricter", f"`{delta.thing.shown}` is new: who must not see it is said and proved")
