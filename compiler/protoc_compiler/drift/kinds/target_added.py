"""Checks that no target is there that was not: the evaluated code is pinned now."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Stricter: the evaluated code is pinned now."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged("stricter", f"target `{delta.thing.shown}` is new: the evaluated code is pinned now")
