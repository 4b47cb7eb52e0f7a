"""Checks that the spec digest is the same where nothing else was found."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Undecided: the meaning differs, and no kind of change here says how."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged(
        "undecided", f"the meaning of `{delta.thing.shown}` differs in a way that no kind of change describes"
    )
