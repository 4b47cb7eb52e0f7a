"""Checks that a rater sees nothing that was hidden."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import seen
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser: a judgement may lean on it."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return seen(delta, "looser", f"a rater of `{delta.thing.name}` sees now", more=True)
