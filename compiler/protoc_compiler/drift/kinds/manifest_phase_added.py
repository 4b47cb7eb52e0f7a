"""Checks that no phase of the manifest is there that was not."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Incomparable: a manifest has one status more."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged("incomparable", f"`{delta.thing.shown}` is new: a manifest has one status more")
