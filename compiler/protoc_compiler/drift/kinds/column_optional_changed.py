"""Checks that a column may be empty as before, and no more."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser where it may be empty now: rows are let through that were refused. Else stricter."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged(
        "looser" if delta.after else "stricter", f"`{delta.thing.shown}` {'may' if delta.after else 'may not'} be empty"
    )
