"""Checks that a column may be empty as before, and no more."""

from __future__ import annotations

from protoc_compiler.drift.bringing import brings
from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = (
    "Looser where it may be empty now: rows are let through that were refused. Else stricter. Of a column that no data "
    "fills the direction of all gates and blockers that read it."
)


def judge(delta: Delta, context: Context) -> Judged | None:
    """See `RULE`."""
    way = context.direction(delta)
    if brings(delta, context):
        way = "looser" if delta.after else "stricter"
    return Judged(way, f"`{delta.thing.shown}` {'may' if delta.after else 'may not'} be empty")
