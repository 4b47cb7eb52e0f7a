"""Checks that no split may be used for what it might not."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import used
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser: its rows may serve one purpose more."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return used(delta, "looser", f"split `{delta.thing.name}` may also be used to", more=True)
