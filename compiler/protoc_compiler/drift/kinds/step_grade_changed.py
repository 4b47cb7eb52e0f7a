"""Checks that a step is vouched for by the same: the runner, or a person."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import told
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser where a person's word stands for what the runner recorded, or nobody vouches for it; else stricter."
_WEIGHT = {"attestation": 1, "runner": 2}


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged(
        "looser" if _WEIGHT.get(delta.after, 0) < _WEIGHT.get(delta.before, 0) else "stricter",
        f"`{delta.thing.shown}` is vouched for by: {told(delta.after)}",
    )
