"""Checks that the same rules of conduct show a step."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import evidence, told
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser where a rule no longer shows it, stricter where one does now, else incomparable."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged(evidence(delta), f"`{delta.thing.shown}` is shown by: {told(delta.after)}")
