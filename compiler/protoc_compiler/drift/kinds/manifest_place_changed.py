"""Checks that the manifest and its status are found in the same place."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import differs
from protoc_compiler.drift.model import Delta, Judged

RULE = "Incomparable: another file or field is read."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return differs(delta, "incomparable", f"`{delta.field}` of the manifest")
