"""Checks that rules are tied to the same entries of a block."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import names, pairs
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser where a rule is no longer tied, stricter where one is now, else incomparable."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged(pairs(delta), f"ties of `{delta.thing.shown}`: {names(delta.before)} -> {names(delta.after)}")
