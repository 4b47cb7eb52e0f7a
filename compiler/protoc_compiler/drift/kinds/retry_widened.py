"""Checks that no failed call may be sent again more often, or for more causes."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import retried
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser: what failed may be tried until it succeeds; equivalent where a class has the cause (5xx has 503)."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return retried(delta, more=True)
