"""Checks that nothing further may be said."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import claims
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser: one more thing may be said. Stricter for a claim that only forbids."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged(claims(delta), f"claim `{delta.thing.name}` is new")
