"""Checks that no amendment has vanished from the record."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser: a change that was declared is no longer told."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged("looser", f"amendment `{delta.thing.name}` is gone: what it declared is no longer told")
