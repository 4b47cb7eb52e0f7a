"""Checks that a claim says what may never be said as before."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import differs
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser where nothing is forbidden any more, stricter where nothing was, else text."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return differs(
        delta,
        "looser" if not delta.after else "stricter" if not delta.before else "text",
        f"claim `{delta.thing.name}`, what may never be said",
    )
