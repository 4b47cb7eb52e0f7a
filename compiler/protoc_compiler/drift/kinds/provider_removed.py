"""Checks that no provider is gone."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Stricter: one service less may be called. Looser where it was forbidden: nothing counts its calls any more."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged("looser" if delta.thing.fields["forbidden"] else "stricter", f"provider `{delta.thing.name}` is gone")
