"""What changes do beside the rules: to the data that is let through, to what lets into a phase, and to what is judged,
shown or published."""

from __future__ import annotations

from collections.abc import Iterable

from protoc_compiler import core
from protoc_compiler.drift.model import Direction, Effect
from protoc_compiler.drift.reads import SHOWN, Thing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol
else:
    Protocol = object


class Sides(Protocol):
    """Two protocols with the same names, as far as is asked here."""

    old: core.Protocol
    new: core.Protocol

    @property
    def data(self) -> Direction:
        """What the changes do to the data that is let through."""

    def above(self, things: Iterable[Thing]) -> frozenset[Thing]:
        """Things, and everything that reads one of them on either side."""

    def by_formula(self, space: str, name: str) -> Effect:
        """What the change of a condition does, from formulas alone."""


def beside_rules(context: Sides, things: tuple[Thing, ...]) -> set[Direction]:
    """The directions of changed things for all that reads them and is no rule."""
    found = context.above(things)
    ways: set[Direction] = {context.data} if any(thing[0] == "expect" for thing in found) else set()
    for side in (context.old, context.new):
        guards = [phase.enter for phase in side.phases if ("phase", phase.name) in found]
        ways |= {context.by_formula("definitions", guard).direction for guard in guards}
    made = context.above(thing for thing in things if _is_computed(context, thing))
    return ways | {"incomparable" for thing in made if thing[0] in SHOWN}


def _is_computed(context: Sides, thing: Thing) -> bool:
    """Whether the protocol says what a thing holds; what files and subjects fill is told by kinds of its own."""
    if thing[0] not in ("table", "column"):
        return True
    tables = [table for side in (context.old, context.new) for table in side.tables if table.name == thing[1]]
    if thing[0] == "table":
        return any(table.kind not in ("input", "nested") for table in tables)
    columns = [table.column(thing[2]) for table in tables]
    return any(column is not None and column.expr is not None for column in columns)
