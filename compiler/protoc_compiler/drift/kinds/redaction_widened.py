"""Checks that a published file shows everything that it showed."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import lost
from protoc_compiler.drift.model import Delta, Judged

RULE = "Stricter: less is published, and less can be checked."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return lost(delta, "stricter", f"`{delta.thing.name}` no longer publishes")
