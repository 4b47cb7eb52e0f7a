"""Checks that the same sets of paths are pinned in the target."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import names, pairs
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser where a set is gone, stricter where one is new, else incomparable."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged(pairs(delta), f"path sets of the target: {names(delta.before)} -> {names(delta.after)}")
