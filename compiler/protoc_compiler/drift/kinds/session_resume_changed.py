"""Checks that an interrupted run is taken up in the same way."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import differs
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser where a case may be asked again, else stricter."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return differs(delta, "looser" if not delta.after else "stricter", f"`{delta.field}`")
