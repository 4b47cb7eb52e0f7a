"""Checks that vectors must be finite as before."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser where NaN and infinities are acceptable now, else stricter."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged(
        "stricter" if delta.after else "looser",
        f"vectors of provider `{delta.thing.name}` {'must' if delta.after else 'need not'} be finite",
    )
