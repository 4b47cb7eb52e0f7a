"""Checks that the files of the subject are those that were sealed."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Incomparable: something else is evaluated."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged("incomparable", f"sealed file `{delta.thing.name}`: {delta.before[:12]} -> {delta.after[:12]}")
