"""Checks that no verdict leads to a phase to which it did not."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import edges
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser: one way more leads on."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return edges(delta, "looser", f"phase `{delta.thing.name}` leads on by", more=True)
