"""Checks that a subject still runs as one session per case."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser where nothing watches its events any more, else stricter."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged(
        "stricter" if delta.after else "looser",
        f"the subject {'runs' if delta.after else 'no longer runs'} as watched sessions",
    )
