"""What rows are tried on: two protocols, what they read, the rows to begin with, and the ways to change them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import cached_property

from protoc_compiler import core
from protoc_compiler.drift.reads import Thing, apart, readers
from protoc_compiler.proof.archetype import inputs
from protoc_compiler.proof.closing import Closing
from protoc_compiler.proof.program import Program
from protoc_compiler.proof.scored import Scored
from protoc_compiler.proof.trials.hunt import Hunt, Work
from protoc_compiler.proof.trials.judge import Judge, Unfit
from protoc_compiler.proof.trials.making import Making
from protoc_compiler.proof.trials.moves import Moves
from protoc_compiler.proof.trials.rowset import Listed, Rowset
from protoc_compiler.proof.trials.values import Place, Values
from protoc_runtime.record import replace

WORK = 400_000  # rows that are looked at for one comparison
LONG = 3_000_000  # rows that are drawn when a case is decided
_MOST = 600  # rows of a case
_DRAWS = 15  # of an interval, while rows are tried
_RULES = ("gates", "blockers", "checks")


class Ground:
    """Two protocols that take the same rows, and what these are made of. Raises `Unfit` where they do not."""

    def __init__(self, old: core.Protocol, new: core.Protocol, work: int = WORK) -> None:
        self.sides = (old, new)
        if _brought(old) != _brought(new):
            raise Unfit("the two read different tables")
        if not all(map(_written, new.tables)):
            raise Unfit("rows of a table cannot be written as they are read")
        self.work = Work(work)
        scored = [Scored(side, Closing(side)) for side in self.sides]
        judges: dict[int, Judge] = {}  # one for both sides where these are one protocol
        for side, one in zip(self.sides, scored, strict=True):
            if id(side) not in judges:
                judges[id(side)] = Judge(side, Program(_drawing_less(side)), one.left_out(), self.work)
        self.judges = [judges[id(side)] for side in self.sides]
        values = Values(self.sides)
        listed = [judge.listed for judge in self.judges]
        making = Making(new, values, listed[1].fixed(), listed[1].also_in(listed[0]), scored[1].splits)
        self.tables = making.brought
        self.untaken = tuple(_untaken(listed[0], listed[1], self.tables))
        self.start = making.start()
        self.moves = Moves(making, values, max(_MOST, 2 * self.start.number()))
        self.hunt = Hunt(self.moves, self.work)
        self.kept: list[Rowset] = []

    # --- what reads what --------------------------------------------------------------------------------------------

    @cached_property
    def changed(self) -> list[tuple[str, str]]:
        """The gates, blockers and checks of both that may mean something else in the other."""
        found = apart(*self.sides, [readers(side) for side in self.sides])
        both = [{(item.space, item.name) for item in side.items} for side in self.sides]
        return [key for key in sorted(both[0] & both[1]) if key[0] in _RULES and ("item", *key) in found]

    @cached_property
    def _reaching(self) -> dict[Place, frozenset[Thing]]:
        """By column, and by table where it is the number of its rows, everything that reads it in one of the two."""
        made: dict[Place, frozenset[Thing]] = {}
        for table in self.tables:
            for name in ["", *(column.name for column in inputs(table))]:
                thing = ("column", table.name, name) if name else ("table", table.name)
                made[table.name, name] = frozenset().union(*(readers(side).above([thing]) for side in self.sides))
        return made

    def places(self, things: Collection[Thing]) -> frozenset[Place]:
        """The columns, and numbers of rows, that these read, directly or through others."""
        return frozenset(place for place, above in self._reaching.items() if not above.isdisjoint(things))

    def deciding(self, space: str, names: Iterable[str]) -> frozenset[Place]:
        """The columns, and numbers of rows, that decide rules (or the verdict) and what is expected of rows."""
        asked: set[Thing] = {("item", "verdict", "verdict")}
        if space != "verdict":
            asked = {("item", space, name) for name in names}
        return self.places(asked | {thing for above in self._reaching.values() for thing in above if
                                     thing[0] == "expect"})  # fmt: skip

    def drawn(self, rows: Rowset) -> int:
        """How many rows are drawn for all intervals to decide these."""
        return sum([interval.draws for side in self.sides for interval in side.intervals]) * rows.number()


def _brought(protocol: core.Protocol) -> dict[str, object]:
    """What rows the protocol takes."""
    return {
        table.name: (table.kind, table.key, table.order, table.parent, table.record, table.unpivot, [
            (column.name, column.type, column.optional) for column in inputs(table)
        ])
        for table in protocol.tables if table.kind in ("input", "nested")
    }  # fmt: skip


def _untaken(old: Listed, new: Listed, brought: list[core.Table]) -> Iterator[str]:
    """Listed rows that only one protocol has, so that the other refuses what refers to them: no such row is tried."""
    referred = {column.type.table for table in brought for column in inputs(table) if column.type.kind == "row"}
    for name in sorted(referred & old.keyed.keys() & new.keyed.keys()):
        for key in [*old.keyed[name], *new.keyed[name]]:
            if (key in old.keyed[name]) != (key in new.keyed[name]):
                yield f"{name}.{' '.join(map(str, key))}"


def _written(table: core.Table) -> bool:
    """Whether rows of a table can be written: long ones are, where each tells its label."""
    return table.unpivot is None or table.unpivot.label in {column.name for column in inputs(table)}


def _drawing_less(protocol: core.Protocol) -> core.Protocol:
    """The protocol with few draws of each interval: what they come to is decided with all of them."""
    less = [replace(one, draws=min(one.draws, _DRAWS)) for one in protocol.intervals]
    return replace(protocol, intervals=tuple(less)) if less else protocol
