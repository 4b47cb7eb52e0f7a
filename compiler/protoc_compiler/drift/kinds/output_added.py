"""Checks that no output is there that was not: the bundle must hold one file more."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Direction, Judged

RULE = "Stricter: the bundle must hold one file more. Incomparable where it shows rows: more is published, too."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    way: Direction = "incomparable" if delta.thing.fields["of"] else "stricter"
    return Judged(way, f"output `{delta.thing.shown}` is new: the bundle must hold one file more")
