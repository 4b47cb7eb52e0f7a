"""Checks that a split has the same earlier role."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import told
from protoc_compiler.drift.model import Delta, Judged

RULE = (
    "Looser where an earlier role is no longer told, else stricter: the registry lets held-out rows change their "
    "role only where it is declared."
)


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged(
        "looser" if delta.after else "stricter",
        f"earlier role of split `{delta.thing.name}`: {told(delta.before)} -> {told(delta.after)}",
    )
