"""Checks that a value that an earlier run measured names the same run."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser where a value no longer says where it was measured, else incomparable."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged(
        "looser" if delta.after is None else "incomparable", f"where `{delta.thing.shown}` was measured is another run"
    )
