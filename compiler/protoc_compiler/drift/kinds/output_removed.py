"""Checks that no output is gone: the bundle no longer holds a file under this name."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Direction, Judged

RULE = (
    "Looser: the bundle no longer holds a file under this name. "
    "Incomparable where it showed rows: less is published, too."
)


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    way: Direction = "incomparable" if delta.thing.fields["of"] else "looser"
    return Judged(way, f"output `{delta.thing.shown}` is gone: the bundle no longer holds a file under this name")
