"""Checks that the subject runs in the same folder."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import differs
from protoc_compiler.drift.model import Delta, Judged

RULE = "Stricter in an empty folder, looser where it was empty, else incomparable."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return differs(
        delta,
        "stricter" if delta.after == "empty" else "looser" if delta.before == "empty" else "incomparable",
        "folder of the subject",
    )
