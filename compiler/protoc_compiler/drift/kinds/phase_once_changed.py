"""Checks that a phase that may be run once may not be run again."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser where it may be run again, else stricter."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged(
        "stricter" if delta.after else "looser",
        f"phase `{delta.thing.name}` may be run {'once' if delta.after else 'again'}",
    )
