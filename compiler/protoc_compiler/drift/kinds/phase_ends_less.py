"""Checks that every verdict that ended a phase still does."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import lost
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser: the phase may be run again after it."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return lost(delta, "looser", f"phase `{delta.thing.name}` no longer ends with")
