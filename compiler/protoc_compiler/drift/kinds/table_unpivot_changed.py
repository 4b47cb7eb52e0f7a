"""Checks that wide input is made long in the same way."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged
from protoc_compiler.drift.moved import relabelled

RULE = (
    "Incomparable: other cells of the file are read; where only their order is another, that of the gates and blockers "
    "that read the order."
)


def judge(delta: Delta, context: Context) -> Judged | None:
    """See `RULE`."""
    if relabelled(delta):
        return Judged(context.direction(delta), f"`{delta.thing.shown}` is unpivoted in another order")
    return Judged("incomparable", f"`{delta.thing.shown}` is unpivoted in another way")
