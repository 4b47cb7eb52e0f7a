"""Checks that no comparison of two runtimes is there that was not."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Stricter: a runtime must decide as the one before."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged("stricter", f"`{delta.thing.shown}` is new: a runtime must decide as the one before")
