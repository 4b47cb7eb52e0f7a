"""Checks that no further verdict ends a phase."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import gained
from protoc_compiler.drift.model import Delta, Judged

RULE = "Stricter: the phase may not be run again after it."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return gained(delta, "stricter", f"phase `{delta.thing.name}` ends with")
