"""Checks that no output is gone: the bundle no longer holds a file under this name."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser: the bundle no longer holds a file under this name."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged("looser", f"output `{delta.thing.shown}` is gone: the bundle no longer holds a file under this name")
