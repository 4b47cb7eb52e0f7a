"""Checks that no split is there that was not: rows may be read that no split allowed before."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser: rows may be read that no split allowed before."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged("looser", f"split `{delta.thing.shown}` is new: rows may be read that no split allowed before")
