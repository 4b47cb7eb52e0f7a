"""Checks that a frozen value or digest is the same."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import frozen
from protoc_compiler.drift.model import Delta, Judged

RULE = (
    "Incomparable for a digest; for a number the direction of the rules that read it, and incomparable where none does."
)


def judge(delta: Delta, context: Context) -> Judged | None:
    """See `RULE`."""
    return frozen(delta, context.direction(delta))
