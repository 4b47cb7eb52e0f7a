"""Checks that a metric still says which of its values are better."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import differs
from protoc_compiler.drift.model import Delta, Judged

RULE = "Text: no rule computes with it, `check` holds the rules against it."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    if delta.after or not delta.before:
        return None
    return differs(delta, "text", f"which values of `{delta.thing.shown}` are better")
