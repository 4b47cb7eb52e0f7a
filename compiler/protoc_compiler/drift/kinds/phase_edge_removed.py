"""Checks that every verdict leads to the phases to which it did."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import edges
from protoc_compiler.drift.model import Delta, Judged

RULE = "Stricter: one way less leads on."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return edges(delta, "stricter", f"phase `{delta.thing.name}` no longer leads on by", more=False)
