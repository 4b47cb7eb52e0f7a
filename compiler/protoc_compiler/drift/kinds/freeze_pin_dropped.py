"""Checks that a file whose digest was fixed is still fixed."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser: any bytes will do."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged("looser", f"the digest of `{delta.thing.shown}` is no longer fixed") if delta.after is None else None
