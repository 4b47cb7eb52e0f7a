"""Checks that no call may take longer than before."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import rose
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser: what was a time-out may be an answer."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return rose(delta, "looser", "time-out of the subject, in seconds")
