"""Checks that no output is there that was not: the bundle must hold one file more."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Stricter: the bundle must hold one file more."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged("stricter", f"output `{delta.thing.shown}` is new: the bundle must hold one file more")
