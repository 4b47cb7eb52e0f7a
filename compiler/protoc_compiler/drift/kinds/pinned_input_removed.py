"""Checks that every input file that was sealed still is."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Incomparable: other rows are evaluated."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged(
        "incomparable", f"input file `{delta.thing.name}` is no longer sealed, {delta.thing.fields['rows']} rows"
    )
