"""Checks that a split has the same earlier role."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import told
from protoc_compiler.drift.model import Delta, Direction, Judged

RULE = (
    "Looser where an earlier role is told now: held-out rows may change their role only where it is declared. Stricter "
    "where it is no longer told, else incomparable."
)


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    direction: Direction = "looser" if not delta.before else "stricter" if not delta.after else "incomparable"
    return Judged(direction, f"earlier role of split `{delta.thing.name}`: {told(delta.before)} -> {told(delta.after)}")
