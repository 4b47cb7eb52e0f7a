"""Checks that no more runs at once than before."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import rose
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser: more is permitted at once."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return rose(delta, "looser", "at once by the subject")
