"""Checks that a column has the same type and unit."""

from __future__ import annotations

from protoc_compiler.drift.bringing import brings
from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import other_type
from protoc_compiler.drift.model import Delta, Judged

RULE = (
    "Incomparable: other values are read, or the same ones mean something else; of a column that no data fills the "
    "direction of all gates and blockers that read it."
)


def judge(delta: Delta, context: Context) -> Judged | None:
    """See `RULE`."""
    way = "incomparable" if brings(delta, context) else context.direction(delta)
    return other_type(delta, way, f"type of `{delta.thing.shown}`")
