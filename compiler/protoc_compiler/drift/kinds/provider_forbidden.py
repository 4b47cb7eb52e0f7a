"""Checks that no provider that might be called is forbidden."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import became
from protoc_compiler.drift.model import Delta, Judged

RULE = "Stricter: its calls are refused and counted."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return became(delta, True, "stricter", f"provider `{delta.thing.name}` is forbidden now")
