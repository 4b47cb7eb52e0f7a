"""Checks that a named population has not lost rows."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged
from protoc_compiler.drift.shared.comparing import population

RULE = (
    "The direction of the rule itself, or of all gates and blockers that read it, together. Looser, stricter or "
    "incomparable: fewer rows may raise a rate or lower it."
)


def judge(delta: Delta, context: Context) -> Judged | None:
    """See `RULE`."""
    if population(delta, context) != "narrowed":
        return None
    return Judged(context.direction(delta), f"`{delta.thing.shown}` holds fewer rows: its filter asks for more")
