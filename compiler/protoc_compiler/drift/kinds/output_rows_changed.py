"""Checks that a published file holds the same rows and digests."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import differs
from protoc_compiler.drift.model import Delta, Judged

RULE = "Incomparable: something else is published."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return differs(delta, "incomparable", f"`{delta.field}` of `{delta.thing.name}`")
