"""Checks that no further input file is sealed."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Incomparable: other rows are evaluated."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged("incomparable", f"input file `{delta.thing.name}` is sealed now, {delta.thing.fields['rows']} rows")
