"""Checks that every rater must still judge."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import lost
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser: one person less must tell."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return lost(delta, "looser", f"no longer raters of `{delta.thing.name}`")
