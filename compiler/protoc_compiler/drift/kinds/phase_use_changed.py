"""Checks that a phase reads its splits to the same use."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import told
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser to tune, stricter to score."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged(
        "looser" if delta.after == "tune" else "stricter",
        f"use of phase `{delta.thing.name}`: {told(delta.before)} -> {told(delta.after)}",
    )
