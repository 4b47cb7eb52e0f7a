"""Checks that a value is withheld under the same condition."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "The direction of the rule itself, or of all gates and blockers that read it, together."


def judge(delta: Delta, context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged(context.direction(delta), f"`{delta.thing.shown}` is withheld under another condition")
