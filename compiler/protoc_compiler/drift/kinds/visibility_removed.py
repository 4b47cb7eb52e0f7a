"""Checks that no hidden column is gone."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser: nothing says any more who must not see it."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged("looser", f"`{delta.thing.shown}` is gone: nothing says any more who must not see it")
