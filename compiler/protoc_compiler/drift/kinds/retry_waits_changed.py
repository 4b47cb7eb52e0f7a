"""Checks that the waits between attempts are the same."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import waited
from protoc_compiler.drift.model import Delta, Judged

RULE = (
    "Looser where every wait is at least as long (the service has more time to recover), stricter where every one "
    "is at most as long, else incomparable."
)


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return waited(delta)
