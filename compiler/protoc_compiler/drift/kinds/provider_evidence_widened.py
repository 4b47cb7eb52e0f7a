"""Checks that no more is kept of what a provider answers."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import became
from protoc_compiler.drift.model import Delta, Judged

RULE = "Stricter: the answers themselves are kept."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return became(delta, "bodies", "stricter", f"the answers of provider `{delta.thing.name}` are kept")
