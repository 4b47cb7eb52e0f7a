"""Checks that things stand in the same order, where their order is told."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Equivalent: no rule reads the order."


def judge(delta: Delta, context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged("equivalent", f"{_several(delta.subject.lower())} stand in another order")


def _several(subject: str) -> str:
    return f"{subject[:-1]}ies" if subject.endswith("y") else f"{subject}s"
