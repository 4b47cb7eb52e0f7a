"""Checks that the same function of the author's is called, with the same text."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged
from protoc_compiler.drift.shapes import sourceless

RULE = "Undecided: nothing here reads Python."


def judge(delta: Delta, context: Context) -> Judged | None:
    """See `RULE`."""
    before, after, *_ = context.formulas(delta)
    if before == after or sourceless(before) != sourceless(after):
        return None
    return Judged("undecided", f"`{delta.thing.shown}` calls another Python function, or its file has another text")
