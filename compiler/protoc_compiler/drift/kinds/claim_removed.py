"""Checks that every claim is still there."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import claims
from protoc_compiler.drift.model import Delta, Judged

RULE = "Stricter: one thing less may be said. Looser where the claim only forbade."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged("looser" if claims(delta) == "stricter" else "stricter", f"claim `{delta.thing.name}` is gone")
