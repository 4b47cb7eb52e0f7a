"""Checks that a field that no other kind of change looks at is the same."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import told
from protoc_compiler.drift.model import Delta, Judged

RULE = "Undecided: no kind of change knows what it does."


def judge(delta: Delta, context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged("undecided", f"`{delta.field}` of `{delta.thing.shown}`: {told(delta.before)} -> {told(delta.after)}")
