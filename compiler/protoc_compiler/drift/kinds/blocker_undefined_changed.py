"""Checks that a blocker fires where it is undefined as it did."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged

RULE = (
    "Looser where an undefined blocker fired and does not any more, else stricter; equivalent where it is proved "
    "that the blocker fires just where it fired."
)


def judge(delta: Delta, context: Context) -> Judged | None:
    """See `RULE`."""
    alone = context.rule("blockers", delta.thing.name)
    same = alone.status == "proved" and alone.direction == "equivalent"
    return Judged(
        "equivalent" if same else "stricter" if delta.after else "looser",
        f"blocker `{delta.thing.name}` {'fires' if delta.after else 'does not fire'} where it is undefined"
        f"{'; it fires just where it fired' if same else ''}",
    )
