"""Checks that no further file of the subject is sealed."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Stricter: the file cannot change after the seal any more."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged("stricter", f"`{delta.thing.name}` is sealed now")
