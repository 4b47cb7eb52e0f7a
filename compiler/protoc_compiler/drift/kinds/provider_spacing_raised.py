"""Checks that there is no longer pause between two calls."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import rose
from protoc_compiler.drift.model import Delta, Judged

RULE = "Stricter: less is permitted in the same time."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return rose(delta, "stricter", f"seconds between calls of provider `{delta.thing.name}`")
