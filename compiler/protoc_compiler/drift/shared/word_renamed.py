"""Checks that the words of a verdict are the same, where all its conditions are."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.model import Delta, Judged
from protoc_compiler.drift.shared.comparing import lines

RULE = (
    "The direction of the rule itself, or of all gates and blockers that read it, together. A word that is "
    "released under another name counts as released."
)


def judge(delta: Delta, context: Context) -> Judged | None:
    """See `RULE`."""
    before, after = lines(context, delta)
    if before is None or after is None or [line[0] for line in before] != [line[0] for line in after]:
        return None
    pairs = zip((line[1] for line in before), (line[1] for line in after), strict=True)
    words = dict.fromkeys(f"{old[-1]} -> {new[-1]}" for old, new in pairs if old != new)
    return Judged(context.direction(delta), f"`{delta.thing.shown}` has other words: {', '.join(words)}")
