"""Checks that a failed call may be sent again as often, and for the same causes."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged
from protoc_compiler.drift.retrying import retried

RULE = "Stricter: what might be tried again fails; equivalent where the same failures are (5xx has 503)."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return retried(delta, more=False)
