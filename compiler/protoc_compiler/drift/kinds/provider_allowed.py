"""Checks that no forbidden provider may be called."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import became
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser: calls that were refused and counted are sent."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return became(delta, False, "looser", f"provider `{delta.thing.name}` was forbidden and may be called now")
