"""Checks that no sealed is gone: nothing is sealed against adjudication any more."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser: nothing is sealed against adjudication any more."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged("looser", f"sealed `{delta.thing.shown}` is gone: nothing is sealed against adjudication any more")
