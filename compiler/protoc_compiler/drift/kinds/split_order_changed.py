"""Checks that rows are made after the same phase."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import differs
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser where they may be made at any time, stricter where they may not, else incomparable."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return differs(
        delta,
        "looser" if not delta.after else "stricter" if not delta.before else "incomparable",
        f"split `{delta.thing.name}` is made after phase",
    )
