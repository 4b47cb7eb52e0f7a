"""Checks that every closed group of the manifest still is."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import lost
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser: an unknown field in it is let through."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return lost(delta, "looser", "open to unknown fields")
