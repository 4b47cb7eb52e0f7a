"""Checks that a published file shows nothing that was left out."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import gained
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser: more is published."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return gained(delta, "looser", f"`{delta.thing.name}` publishes")
