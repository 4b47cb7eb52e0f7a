"""Checks that there is no shorter pause between two calls."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import fell
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser: more is permitted in the same time."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return fell(delta, "looser", f"seconds between calls of provider `{delta.thing.name}`")
