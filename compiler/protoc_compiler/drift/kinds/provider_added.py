"""Checks that no provider is there that was not."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser: one service more may be called. Stricter for a forbidden one."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged("stricter" if delta.thing.fields["forbidden"] else "looser", f"provider `{delta.thing.name}` is new")
