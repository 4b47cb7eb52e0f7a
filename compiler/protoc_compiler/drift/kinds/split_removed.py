"""Checks that no split is gone: no phase can read these rows any more."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Stricter: no phase can read these rows any more."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged("stricter", f"split `{delta.thing.shown}` is gone: no phase can read these rows any more")
