"""Checks that it is still said what an acceptable answer is."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import became
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser: every answer of status 200 is acceptable."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return became(delta, None, "looser", f"any answer of provider `{delta.thing.name}` is acceptable")
