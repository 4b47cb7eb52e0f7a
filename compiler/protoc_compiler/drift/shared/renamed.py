"""Checks that a thing has the same name."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Equivalent: everything that names it names it anew."


def judge(delta: Delta, context: Context) -> Judged | None:
    """See `RULE`."""
    old = delta.old.shown if delta.old is not None else ""
    return Judged("equivalent", f"`{old}` is called `{delta.thing.shown}` now")
