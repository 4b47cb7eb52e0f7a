"""Checks that nothing is gone."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Undecided: no kind of change knows what it did."


def judge(delta: Delta, context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged("undecided", f"`{delta.thing.shown}` is gone")
