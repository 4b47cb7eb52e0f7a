"""Checks that a blocker stands for the same verdict."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import told
from protoc_compiler.drift.model import Delta, Judged

RULE = "The direction of the verdict as a whole: the word is read by people, the verdict's own lines decide."


def judge(delta: Delta, context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged(
        context.verdict.direction,
        f"blocker `{delta.thing.name}` stands for {told(delta.after)}, not {told(delta.before)}",
    )
