"""Checks that the same is read of a session's configuration and usage."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Incomparable: something else is compared or counted."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged("incomparable", f"`{delta.field}` is read otherwise")
