"""Checks that no number in a formula is smaller than before, where nothing else differs."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged
from protoc_compiler.drift.shared.comparing import moved

RULE = "The direction of the rule itself, or of all gates and blockers that read it, together."


def judge(delta: Delta, context: Context) -> Judged | None:
    """See `RULE`."""
    lower = moved(delta, context, lambda before, after: after <= before)
    return None if lower is None else Judged(context.direction(delta), f"`{delta.thing.shown}`: {lower}")
