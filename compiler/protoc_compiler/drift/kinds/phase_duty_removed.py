"""Checks that no duty after a phase is gone."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser: nobody must do it any more."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged("looser", f"`{delta.thing.shown}` is gone: nobody must do it any more")
