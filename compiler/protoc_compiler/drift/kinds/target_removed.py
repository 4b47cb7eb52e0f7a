"""Checks that no target is gone: the evaluated code is no longer pinned."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser: the evaluated code is no longer pinned."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged("looser", f"target `{delta.thing.shown}` is gone: the evaluated code is no longer pinned")
