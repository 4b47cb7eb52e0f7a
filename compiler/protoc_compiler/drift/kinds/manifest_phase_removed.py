"""Checks that no phase of the manifest is gone."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Incomparable: a manifest has one status less."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged("incomparable", f"`{delta.thing.shown}` is gone: a manifest has one status less")
