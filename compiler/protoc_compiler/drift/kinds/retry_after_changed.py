"""Checks that a Retry-After header has the same effect."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser where it is honoured now, else stricter."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged(
        "looser" if delta.after == "honoured" else "stricter",
        f"a Retry-After header of provider `{delta.thing.name}` is {delta.after}",
    )
