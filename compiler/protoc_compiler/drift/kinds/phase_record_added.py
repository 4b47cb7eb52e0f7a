"""Checks that no evidence that a phase must leave is there that was not."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Stricter: the receipt must hold it."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged("stricter", f"`{delta.thing.shown}` is new: the receipt must hold it")
