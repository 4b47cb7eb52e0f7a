"""Checks that a split that may be scored once may not be scored again."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser: an outcome can be tried until it pleases."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return (
        Judged("looser", f"split `{delta.thing.name}` may be scored more than once")
        if "score once" in delta.before and "score" in delta.after
        else None
    )
