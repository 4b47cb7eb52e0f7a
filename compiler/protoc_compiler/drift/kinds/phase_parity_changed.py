"""Checks that a phase still leads on only with a report of parity."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser where no report is asked for any more, stricter where one is; another name of its file is one of words."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    phase = f"phase `{delta.thing.name}`"
    if delta.before and delta.after:
        return Judged("text", f"{phase} finds its report of parity in {delta.after}, not in {delta.before}")
    asks = "asks for a report of parity" if delta.after else "no longer asks for a report of parity"
    return Judged("stricter" if delta.after else "looser", f"{phase} {asks}")
