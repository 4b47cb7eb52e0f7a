"""Checks that raters have every label that they had."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import named_more
from protoc_compiler.drift.model import Delta, Judged

RULE = "Incomparable: rows that had it get another one."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return named_more(delta, "incomparable", f"label of `{delta.thing.name}` is gone", more=False)
