"""Checks that equal keys are refused, or judged by the same gate."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser where equal keys are no longer refused, stricter where they are now, else incomparable."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged(
        "stricter" if not delta.after else "looser" if not delta.before else "incomparable",
        f"equal keys in `{delta.thing.shown}` are {told_of(delta)}",
    )


def told_of(delta: Delta) -> str:
    """What happens to equal keys."""
    return f"judged by gates.{delta.after}" if delta.after else "refused"
