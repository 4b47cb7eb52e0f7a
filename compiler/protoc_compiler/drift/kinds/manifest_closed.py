"""Checks that no further group of the manifest is closed."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import gained
from protoc_compiler.drift.model import Delta, Judged

RULE = "Stricter: an unknown field in it is an error."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return gained(delta, "stricter", "closed to unknown fields")
