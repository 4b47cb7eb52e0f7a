"""Checks that a rater sees everything that was shown."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import seen
from protoc_compiler.drift.model import Delta, Judged

RULE = "Stricter: a judgement must do without."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return seen(delta, "stricter", f"a rater of `{delta.thing.name}` no longer sees", more=False)
