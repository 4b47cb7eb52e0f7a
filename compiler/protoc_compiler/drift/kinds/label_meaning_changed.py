"""Checks that every label means what it meant."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import same_names
from protoc_compiler.drift.model import Delta, Judged

RULE = "Incomparable: raters are told something else."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return same_names(delta, "incomparable", f"a label of `{delta.thing.name}` means something else")
