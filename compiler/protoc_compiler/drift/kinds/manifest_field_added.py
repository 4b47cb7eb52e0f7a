"""Checks that no field of the manifest is there that was not."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Stricter: a manifest must hold it."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged("stricter", f"`{delta.thing.shown}` is new: a manifest must hold it")
