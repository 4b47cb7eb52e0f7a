"""Differences that no formula shows, though what reads them may come out otherwise: of orders, and of how files are
read."""

from __future__ import annotations

from protoc_compiler.drift.deltas import PLACED
from protoc_compiler.drift.model import Delta

SHUFFLED = "it reads rows, or a column whose members, stand in another order, which formulas do not show"
REREAD = "it reads cells that are other values now, in another unit or made long in another way"


def reordered(delta: Delta) -> bool:
    """Whether rows of the protocol that are on both sides stand in another order."""
    return delta.subject in PLACED and delta.field == "order"


def ranked_otherwise(delta: Delta) -> bool:
    """Whether the values of a column are in another order: the members of an enum that are on both sides, or since it
    is of another kind (those of a text and of an enum are not in order alike)."""
    if not _typed(delta):
        return False
    before, after = delta.before.members, delta.after.members
    moved = [one for one in before if one in after] != [one for one in after if one in before]
    return moved or bool(delta.before.kind != delta.after.kind)


def relabelled(delta: Delta) -> bool:
    """Whether a wide file is made long in the same way, but for the order."""
    made_long = delta.subject == "TABLE" and delta.field in ("unpivot.labels", "unpivot.columns")
    return made_long and sorted(delta.before) == sorted(delta.after)


def reread(delta: Delta) -> bool:
    """Whether the same cells of a file are other values: in another unit, or made long in another way. A cell that
    stands in the spec has its unit beside it."""
    if delta.subject == "TABLE":
        return delta.field.partition(".")[0] == "unpivot" and not relabelled(delta)
    if not _typed(delta) or delta.thing.fields.get("expr") is not None:
        return False
    return delta.thing.fields.get("origin") != "listed" and bool(delta.before.shown != delta.after.shown)


def _typed(delta: Delta) -> bool:
    return delta.subject == "COLUMN" and delta.field == "type" and delta.before is not None and delta.after is not None
