"""Checks that no more candidates may read a split than before."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import told
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser where more candidates may be tried, or any number; else stricter."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged(
        "looser" if not delta.after or (delta.before and delta.after > delta.before) else "stricter",
        f"candidates that may read split `{delta.thing.name}`: {told(delta.before)} -> {told(delta.after)}",
    )
