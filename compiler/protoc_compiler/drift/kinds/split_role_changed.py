"""Checks that a split keeps its role."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import told
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser where held-out rows become something else, stricter where others become held out, else incomparable."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged(
        "looser" if delta.before == "heldout" else "stricter" if delta.after == "heldout" else "incomparable",
        f"role of split `{delta.thing.name}`: {told(delta.before)} -> {told(delta.after)}",
    )
