"""Checks that raters have no label that they did not have."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import named_more
from protoc_compiler.drift.model import Delta, Judged

RULE = "Incomparable: a row may get a label that no rule was written for."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return named_more(delta, "incomparable", f"label of `{delta.thing.name}` is new", more=True)
