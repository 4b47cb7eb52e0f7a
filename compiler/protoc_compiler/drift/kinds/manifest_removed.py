"""Checks that no freeze manifest is gone."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser: a candidate is no longer frozen by one."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged("looser", f"`{delta.thing.shown}` is gone: a candidate is no longer frozen by one")
