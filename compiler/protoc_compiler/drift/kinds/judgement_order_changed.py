"""Checks that judgements are told in the same order."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import told, waits
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser where a judgement no longer waits for another, stricter where it does now, else incomparable."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged(waits(delta), f"judgement `{delta.thing.name}` waits for: {told(delta.after)}")
