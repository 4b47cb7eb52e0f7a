"""Checks that a blocker fires where it is undefined as it did."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = "Looser where an undefined blocker fired and does not any more, else stricter."


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    return Judged(
        "stricter" if delta.after else "looser",
        f"blocker `{delta.thing.name}` {'fires' if delta.after else 'does not fire'} where it is undefined",
    )
