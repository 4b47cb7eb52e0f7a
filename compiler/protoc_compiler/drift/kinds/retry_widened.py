"""Checks that no failed call may be sent again more often, or for more causes."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged
from protoc_compiler.drift.retrying import retried

RULE = "Looser: what failed may be tried until it succeeds; equivalent where the same failures are (5xx has 503)."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return retried(delta, more=True)
