"""Checks that no amendment is new."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Text: an amendment tells of changes; the changes themselves are judged by their own kinds."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged("text", f"amendment `{delta.thing.name}` is new")
