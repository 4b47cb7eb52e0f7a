"""Checks that the same values may stand in a field of the manifest."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import alternatives
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser where further kinds of values may stand there, stricter where fewer may, else incomparable."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged(alternatives(delta), f"`{delta.thing.shown}` may hold other values")
