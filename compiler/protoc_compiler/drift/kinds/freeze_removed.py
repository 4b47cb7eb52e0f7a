"""Checks that no freeze is gone: a value is no longer fixed in advance."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser: a value is no longer fixed in advance."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged("looser", f"freeze `{delta.thing.shown}` is gone: a value is no longer fixed in advance")
