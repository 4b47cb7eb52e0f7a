"""Checks that a rule reports the same parts by themselves."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Equivalent: the parts are shown one by one; the formula as a whole decides."


def judge(delta: Delta, context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged("equivalent", f"`{delta.thing.shown}` is reported in other parts")
