"""Checks that a named population is written in the same way, where it holds the same rows."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged
from protoc_compiler.drift.shared.comparing import population

RULE = "Equivalent: both have one normal form."


def judge(delta: Delta, context: Context) -> Judged | None:
    """See `RULE`."""
    if population(delta, context) != "same":
        return None
    return Judged("equivalent", f"`{delta.thing.shown}` is written differently and holds the same rows")
