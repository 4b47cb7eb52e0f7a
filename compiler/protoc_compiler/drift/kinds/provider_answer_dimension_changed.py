"""Checks that the dimension of an acceptable answer is the same."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import differs
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser where nothing is asked any more, stricter where nothing was, else incomparable."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return differs(
        delta,
        "looser" if not delta.after else "stricter" if not delta.before else "incomparable",
        f"provider `{delta.thing.name}`, the dimension of an acceptable answer",
    )
