"""Differences that no formula shows, though what reads them may come out otherwise: of orders, and of how files are
read."""

from __future__ import annotations

from protoc_compiler.drift.deltas import PLACED
from protoc_compiler.drift.model import Delta

SHUFFLED = "it reads rows, or a column whose members, stand in another order, which formulas do not show"
REREAD = "it reads cells that are other values now, in another unit or made long in another way"


def reordered(delta: Delta) -> bool:
    """Whether rows of the protocol, or the members of an enum that are on both sides, stand in another order."""
    if delta.subject in PLACED:
        return delta.field == "order"
    if not _typed(delta):
        return False
    before, after = delta.before.members, delta.after.members
    return [one for one in before if one in after] != [one for one in after if one in before]


def of_another_kind(delta: Delta) -> bool:
    """Whether the values of a column are in order by another rule: those of a text and of an enum are."""
    return _typed(delta) and bool(delta.before.kind != delta.after.kind)


def reread(delta: Delta) -> bool:
    """Whether the same cells of a file are other values: in another unit, or made long in another way. A cell that
    stands in the spec has its unit beside it."""
    if delta.subject == "TABLE":
        return delta.field.partition(".")[0] == "unpivot"
    if not _typed(delta) or delta.thing.fields.get("expr") is not None:
        return False
    return delta.thing.fields.get("origin") != "listed" and bool(delta.before.shown != delta.after.shown)


def _typed(delta: Delta) -> bool:
    return delta.subject == "COLUMN" and delta.field == "type" and delta.before is not None and delta.after is not None
