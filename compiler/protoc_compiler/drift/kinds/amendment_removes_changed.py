"""Checks that an amendment still tells what it took out."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import differs
from protoc_compiler.drift.model import Delta, Judged

RULE = "Incomparable: the record of an earlier change is written anew."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return differs(delta, "incomparable", f"amendment `{delta.thing.name}`, what it took out")
