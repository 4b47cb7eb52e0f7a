"""Checks that no phase is gone: the protocol can be run in one way less."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Stricter: the protocol can be run in one way less."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged("stricter", f"phase `{delta.thing.shown}` is gone: the protocol can be run in one way less")
