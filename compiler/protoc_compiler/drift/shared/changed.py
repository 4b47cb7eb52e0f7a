"""Checks that a field that no other kind of change looks at is the same."""

from __future__ import annotations

from protoc_compiler.drift.effects import Context
from protoc_compiler.drift.judging import told
from protoc_compiler.drift.kinds import KINDS
from protoc_compiler.drift.model import Delta, Judged

RULE = (
    "Undecided: no kind of change knows what it does. Equivalent where only the order of a list differs that has none."
)


def judge(delta: Delta, _context: Context) -> Judged | None:
    """See `RULE`."""
    known = delta.field in KINDS.get(delta.subject, {})
    lists = isinstance(delta.before, tuple) and isinstance(delta.after, tuple)
    if known and lists and sorted(delta.before, key=repr) == sorted(delta.after, key=repr):
        return Judged("equivalent", f"`{delta.field}` of `{delta.thing.shown}` stands in another order")
    return Judged("undecided", f"`{delta.field}` of `{delta.thing.shown}`: {told(delta.before)} -> {told(delta.after)}")
