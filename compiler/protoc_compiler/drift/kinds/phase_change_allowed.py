"""Checks that a phase may change no file that it might not."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import gained
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser: the candidate may differ in it from what was judged."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return gained(delta, "looser", f"phase `{delta.thing.name}` may change")
