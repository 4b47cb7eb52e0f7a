"""Checks that what a rater sees is computed in the same way."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import same_names
from protoc_compiler.drift.model import Delta, Judged

RULE = "Incomparable: the same name shows something else."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return same_names(delta, "incomparable", f"what a rater of `{delta.thing.name}` sees is computed in another way")
