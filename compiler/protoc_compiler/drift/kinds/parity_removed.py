"""Checks that no comparison of two runtimes is gone."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser: a runtime need not decide as the one before."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged("looser", f"`{delta.thing.shown}` is gone: a runtime need not decide as the one before")
