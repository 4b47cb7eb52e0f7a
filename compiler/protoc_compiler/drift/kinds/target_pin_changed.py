"""Checks that the digests of path sets are fixed as before."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import names, pairs
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser where one is no longer fixed, stricter where one is now, else incomparable."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged(pairs(delta), f"fixed digests of the target: {names(delta.before)} -> {names(delta.after)}")
