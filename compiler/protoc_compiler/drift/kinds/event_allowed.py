"""Checks that a session may do nothing that it might not."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import gained
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser: such an event no longer sets a case apart."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return gained(delta, "looser", "events of a session that may occur now")
