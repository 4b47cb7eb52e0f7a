"""Checks that a column is hidden from everybody from whom it was."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import lost
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser: a judgement or an answer may lean on it."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return lost(delta, "looser", f"`{delta.thing.shown}` is no longer hidden from")
