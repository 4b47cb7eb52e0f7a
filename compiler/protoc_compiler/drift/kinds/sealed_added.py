"""Checks that no sealed is there that was not: results are sealed against adjudication."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Stricter: results are sealed against adjudication."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged("stricter", f"sealed `{delta.thing.shown}` is new: results are sealed against adjudication")
