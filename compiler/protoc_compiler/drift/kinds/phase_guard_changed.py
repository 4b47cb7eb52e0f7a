"""Checks that a phase still has a condition under which it may be entered."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser where there is none any more, else stricter; what it says is a definition, which is compared as one."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged(
        "stricter" if delta.after else "looser",
        f"phase `{delta.thing.name}` {'has' if delta.after else 'no longer has'} a condition of entry",
    )
