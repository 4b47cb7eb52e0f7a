"""Checks that no evidence that a phase must leave is gone."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser: the receipt need not hold it."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged("looser", f"`{delta.thing.shown}` is gone: the receipt need not hold it")
