"""Checks that a consumed split stays consumed."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import told
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser where a split is no longer consumed, else stricter."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged(
        "stricter" if delta.after else "looser",
        f"status of split `{delta.thing.name}`: {told(delta.before)} -> {told(delta.after)}",
    )
