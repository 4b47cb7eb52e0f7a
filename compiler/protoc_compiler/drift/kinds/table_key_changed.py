"""Checks that the same columns make a row unique."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import told, wider
from protoc_compiler.drift.model import Delta, Judged

RULE = (
    "Looser where a column joins the key (more rows are let through), stricter where one leaves it, else incomparable."
)


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged(wider(delta), f"key of `{delta.thing.shown}`: {told(delta.before)} -> {told(delta.after)}")
