"""Rows that are built to lie between two bounds: so many of a group, of which some are as others are not.

From rows on which one protocol is as wanted one group is taken (the cases of one kind, all cases), is brought to the
number of rows of which a share between the bounds can be made, and some of its rows are varied by one cell, the one
that moves what is compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import ceil

from protoc_compiler import core
from protoc_compiler.proof.trials.bounds import Between, between
from protoc_compiler.proof.trials.rowset import Rowset
from protoc_compiler.proof.trials.values import NUMBERS, Place, number
from protoc_compiler.proof.trials.varying import Variation, Varying

_BETWEEN = 8  # pairs of bounds that are tried
_GROUPS = 10
_KEPT = 2  # shares that other rules ask for
Ways = tuple[Variation, ...]


class Building:
    """Builds rows for a question about rules, from rows on which one side is as wanted."""

    def __init__(self, varying: Varying, defined: bool) -> None:
        """`defined`: whether no rows are known on which more of what is compared is defined."""
        self.defined = defined
        self.varying, self.moves = varying, varying.trials.moves
        self.first = varying.first

    @property
    def apart(self) -> bool:
        """Whether the rules have other bounds, and do not only compute otherwise."""
        return self._bounds[1]

    @cached_property
    def _tables(self) -> list[tuple[core.Table, list[Variation]]]:
        return [(table, ways) for table in self.varying.tables() if (ways := self.varying.ways(table))]

    def kinds(self) -> list[Iterator[Rowset]]:
        """Rows that may show it by the way in which they are built, the likeliest first."""
        made = [self._alone(), self._counted(), *map(self._numbers, self._bounds[0]), self._beside(), self._parts()]
        return [*made, self._kept()]

    def _alone(self) -> Iterator[Rowset]:
        """Each group with a share between."""
        for table, ways in self._tables:
            for one in self._bounds[0]:
                for group in self._groups(table):
                    yield from self._shared_out(table, group, ways, one.sizes(len(group)), 0)

    def _parts(self) -> Iterator[Rowset]:
        """All rows with a share between, by more rows of one group, and by changes of these alone."""
        for table, ways in self._tables:
            *groups, every = self._groups(table)
            for one in self._bounds[0]:
                sizes = [(times * size, times * part) for times in (1, 2) for size, part in one.sizes(len(every))]
                for group in groups:
                    yield from self._shared_out(table, group, ways, sizes, len(every) - len(group))

    def _kept(self) -> Iterator[Rowset]:
        """Some rows that are otherwise among so many that a share which another rule asks for still holds."""
        for table, ways in self._tables:
            for share in self.varying.kept_shares[:_KEPT]:
                for group in self._groups(table):
                    sizes = Between(share, share).sizes(len(group))
                    yield from self._shared_out(table, group, ways, sizes, 0)

    def _counted(self) -> Iterator[Rowset]:
        """One row that is otherwise among as many, where two rules do not count the same rows: of all but two of the
        group."""
        for table, ways in self._tables if not self._bounds[1] else ():
            for share in self.varying.kept_shares[:_KEPT]:
                for group in self._groups(table):
                    size = max(len(group), ceil(1 / (1 - share)))
                    for one, others in _counted_apart(ways):
                        made = self._made(table, group, size, [others] * (size - 2) + [one])
                        if made is not None:
                            yield made

    def _beside(self) -> Iterator[Rowset]:
        """A share between of few rows of a group, beside so many others that a rule does not count that a share which
        another rule asks for still holds."""
        for table, ways in self._tables if self._bounds[1] and self.defined else ():
            for share, one in product(self.varying.kept_shares[::-1], self._bounds[0]):
                for (size, part), group in product([*one.sizes(1)][:1], self._groups(table)):
                    whole = max(len(group), part + ceil((size - part) / (1 - share)))
                    for turned, others in product(ways, repeat=2):
                        if _column(turned) != _column(others):
                            kinds = [(others,)] * (whole - size) + [()] * part + [(turned,)] * (size - part)
                            made = self._made(table, group, whole, kinds, others)
                            if made is not None:
                                yield made

    @cached_property
    def _bounds(self) -> tuple[list[Between], bool]:
        """Between what the two differ, and whether they have other bounds."""
        apart: dict[Between, None] = {}
        alone: dict[Between, None] = {}
        for name, old in self.varying.seen[0].items():
            found, differing = between(old, self.varying.seen[1].get(name, {}))
            (apart if differing else alone).update(dict.fromkeys(found))
        return list(apart or alone)[:_BETWEEN], bool(apart)

    def _groups(self, table: core.Table) -> list[list[int]]:
        """The places of rows that are alike, and of all."""
        own = self.first.tables[table.name]
        at = {id(row): place for place, row in enumerate(own)}
        alike = [[at[id(row)] for row in group] for group in self.moves.alike(own, table, keys=False)]
        return [*alike[:_GROUPS], list(range(len(own)))]

    def _shared_out(
        self, table: core.Table, group: list[int], ways: list[Variation], sizes: Iterable[tuple[int, int]], beside: int
    ) -> Iterator[Rowset]:
        """So many rows with those `beside` the group, some of which are changed."""
        known = [*dict.fromkeys(sizes)]
        for way in ways:
            for size, part in known:
                for changed in dict.fromkeys((size - part, part)):
                    made = self._made(table, group, size - beside, [(way,)] * changed) if changed else None
                    if made is not None:
                        yield made

    def _made(
        self, table: core.Table, group: list[int], size: int, ways: Sequence[Ways], beside: Variation | None = None
    ) -> Rowset | None:
        """So many rows of a group, the last of which are changed in these ways, and the rows of other groups in one;
        None where there cannot be so many."""
        rows = self.first.copied()
        own = [rows.tables[table.name][place] for place in group]
        while len(own) < size:
            more = self.moves.doubled(rows, table, own[: size - len(own)])
            if more is None:
                return None
            before = len(rows.tables[table.name])
            more.make(rows)
            own = [*own, *rows.tables[table.name][before:]]
        if len(ways) > len(own):
            return None
        mine = set(map(id, own))
        if beside is not None:
            for row in [row for row in rows.tables[table.name] if id(row) not in mine]:
                beside.make(self.moves, rows, row)
        for row, changes in zip(own[len(own) - len(ways) :], ways, strict=True):
            for one in changes:
                one.make(self.moves, rows, row)
        return rows

    # --- numbers ----------------------------------------------------------------------------------------------------

    def _numbers(self, one: Between) -> Iterator[Rowset]:
        """All rows with a number between, and all but one beside it."""
        for table in self.varying.tables():
            for column in self.moves.free[table.name]:
                if column.type.kind in NUMBERS and (table.name, column.name) in self.varying.places:
                    for value in one.numbers():
                        yield from self._numbered(table, column, value)

    def _numbered(self, table: core.Table, column: core.Col, value: Fraction) -> Iterator[Rowset]:
        own = len(self.first.tables[table.name])
        for each, last in ((value, value), (value, value * 3 * own), (value, value * 0), (value * 0, value * own)):
            rows = self.first.copied()
            for row in rows.tables[table.name]:
                row.cells[column.name] = number(each, column.type)
            rows.tables[table.name][-1].cells[column.name] = number(last, column.type)
            yield rows


def _counted_apart(ways: list[Variation]) -> Iterator[tuple[Ways, Ways]]:
    """Changes of one row that turn a condition and by which it is counted otherwise, and of all rows but two by which
    these are counted otherwise again."""
    for turned, others in product(ways, repeat=2):
        if _column(turned) != _column(others):
            yield (turned,), (others,)
    for turned, counted, others in product(ways, repeat=3):
        if _column(turned) != _column(counted) == _column(others) and counted != others:
            yield (turned, counted), (others,)


def _column(way: Variation) -> Place:
    return way.table, way.column


__all__ = ["Building"]
