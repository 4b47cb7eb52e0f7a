"""Checks that a field is needed from the same phase on."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import differs
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser where it is no longer needed, stricter where it is now, else incomparable."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return differs(
        delta,
        "looser" if not delta.after else "stricter" if not delta.before else "incomparable",
        f"`{delta.thing.shown}` is needed from phase",
    )
