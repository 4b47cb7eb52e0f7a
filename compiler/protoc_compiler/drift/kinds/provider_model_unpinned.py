"""Checks that a pinned model stays pinned."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import became
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser: any model may be asked."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return became(delta, "", "looser", f"the model of provider `{delta.thing.name}` is no longer pinned")
