"""Checks that a provider answers with the same model."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import told
from protoc_compiler.drift.model import Delta, Judged

RULE = "Incomparable for another model, stricter where none was pinned."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return (
        Judged(
            "incomparable" if delta.before else "stricter",
            f"model of provider `{delta.thing.name}`: {told(delta.before)} -> {told(delta.after)}",
        )
        if delta.after
        else None
    )
