"""Checks that no digest is fixed that was not."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Stricter: only these bytes will do."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged("stricter", f"the digest of `{delta.thing.shown}` is fixed now") if delta.before is None else None
