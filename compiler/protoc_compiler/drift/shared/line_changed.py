"""Checks that every line of a first-match list has the same condition and value."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged
from protoc_compiler.drift.shared.comparing import lines

RULE = "The direction of the rule itself, or of all gates and blockers that read it, together."


def judge(delta: Delta, context: Context) -> Judged | None:
    """See `RULE`."""
    before, after = lines(context, delta)
    if before is None or after is None:
        return None
    return Judged(context.direction(delta), f"a line of `{delta.thing.shown}` is another")
