"""Checks that no phase is there that was not: the protocol can be run in one way more."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser: the protocol can be run in one way more."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged("looser", f"phase `{delta.thing.shown}` is new: the protocol can be run in one way more")
