"""Draws without their rows: what is summed is summed once per unit that is drawn, then once per draw.

A draw only repeats rows. A count, sum, mean or rate over the rows that follow the drawn units is therefore a sum of one
number per unit, taken as often as the unit is drawn. `Pooled` rows are the rows of the study, each with its unit;
`Folded` is the study in which a metric is evaluated with them for all draws. Whatever else a formula asks of such
rows raises `Unfit`, and the draws are evaluated with all their rows instead: both give the same values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import polars as pl

from protoc_runtime.engine import packing
from protoc_runtime.engine.context import INDEX, Context, positions
from protoc_runtime.engine.declare import Formula
from protoc_runtime.engine.meeting import met
from protoc_runtime.engine.redrawn import Redrawn
from protoc_runtime.engine.rows import Rows, RowVec
from protoc_runtime.engine.series import repeated, taken
from protoc_runtime.engine.vec import Nothing, Vec

PIECE = 1 << 17  # drawn units whose numbers are taken together: they stay in the processor's cache
MOST_TUPLES = 20_000_000  # of a table that every draw has alike


class Unfit(Exception):
    """A formula asks more of drawn rows than sums of them."""


class Picks:
    """The units of one row set that the draws take: `places` in the list of units, draw by draw.

    `index` tells the draw of each; it is None where every draw takes equally many.
    """

    def __init__(self, units: pl.Series, places: pl.Series, draws: int, index: pl.Series | None) -> None:
        self.units = units  # the row of each unit
        self.places = places
        self.draws = draws
        self.index = index

    @property
    def draw(self) -> pl.Series:
        """The draw of each place."""
        if self.index is not None:
            return self.index
        each = len(self.places) // self.draws
        return pl.int_range(len(self.places), dtype=INDEX, eager=True) // max(each, 1)

    @property
    def most(self) -> int:
        """No draw takes more units than this."""
        if self.index is None:
            return len(self.places) // self.draws
        return len(self.places)

    def summed(self, columns: Sequence[pl.Series]) -> list[pl.Series]:
        """For each draw the sum of a whole number per unit, of several such numbers."""
        if self.index is None and self.most:
            return packing.sums(columns, self.most, self._alike)
        return [self._of_each(values) for values in columns]

    def _alike(self, values: pl.Series) -> pl.Series:
        """The sums where every draw takes equally many units: of some draws at once, in all cores that there are."""
        each = pl.lit(values).gather(pl.col("place")).reshape((-1, self.most)).arr.sum()
        step = max(PIECE // self.most, 1) * self.most
        begins = range(0, len(self.places), step)
        frames = [pl.LazyFrame({"place": self.places.slice(begin, step)}).select(each) for begin in begins]
        return pl.concat(found.to_series() for found in pl.collect_all(frames, engine="in-memory"))

    def _of_each(self, values: pl.Series) -> pl.Series:
        each = taken(values, self.places)
        frame = pl.DataFrame({"draw": self.draw, "value": each}).group_by("draw").agg(pl.col("value").sum())
        every = pl.DataFrame({"draw": positions(self.draws)})
        return every.join(frame, on="draw", how="left", maintain_order="left")["value"].fill_null(0)


class Pooled(Rows):
    """Rows of all draws at once, each row held once: `unit` is its place in the list of units, `slot` its row of the
    table in which these rows were opened."""

    def __init__(
        self, source: Any, table: str, root: str, rows: pl.Series, outer: Context, unit: pl.Series, picks: Picks,
        slot: pl.Series | None = None,
    ) -> None:  # fmt: skip
        super().__init__(source, table, root, len(rows), rows, outer)
        self.unit = unit
        self.picks = picks
        self.slot = slot

    @property
    def index(self) -> NoReturn:
        """Raises Unfit: draws that are counted have no tuples of their own."""
        raise Unfit

    @property
    def most(self) -> int:
        """No draw has more rows than this: those of the largest unit, as often as one unit is drawn at most."""
        if not self.size:
            return 0
        largest = pl.DataFrame({"unit": self.unit}).group_by("unit").len()["len"].max()
        return int(largest) * self.picks.most  # type: ignore[arg-type]

    @property
    def rough(self) -> int:
        """As if one unit had all rows: what fits then needs no count."""
        return self.size * self.picks.most

    def index_in(self, ancestor: Context) -> pl.Series:
        """As of any context, but only in itself and in one of a single tuple; raises Unfit for another."""
        if ancestor is self:
            return positions(self.size)
        if ancestor.size == 1 and self.within(ancestor):
            return repeated(0, self.size, INDEX)
        raise Unfit

    def named(self, table: str) -> Rows:
        """The same drawn rows as the table of this name."""
        return Pooled(
            self.source, table, self.root, self.row.data, self.outer, self.unit, self.picks, self.slot
        )  # fmt: skip

    def _kept(self, mask: pl.Series) -> Rows:
        slot = None if self.slot is None else self.slot.filter(mask)
        rows, unit = self.row.data.filter(mask), self.unit.filter(mask)
        return Pooled(self.source, self.table, self.root, rows, self.outer, unit, self.picks, slot)

    def open(self, inner: Rows, *pairs: tuple[Vec, Vec]) -> Rows:
        """Raises Unfit: rows are not joined to draws that are only counted."""
        raise Unfit

    def opened_in(self, outer: Rows, pairs: Sequence[tuple[Vec, Vec]]) -> Rows:
        """These rows for each row of a table that every draw has alike."""
        if not isinstance(outer, Repeated) or self.slot is not None or not pairs:
            raise Unfit
        mine, theirs = {}, {}
        for number, (one, two) in enumerate(pairs):
            one, two = one.to(self), two.to(outer)
            if isinstance(one, Nothing) or isinstance(two, Nothing):
                raise Unfit
            theirs[f"k{number}"], keys = one.keys(two)
            mine[f"k{number}"] = outer.of_one_draw(keys)
        at, slot = met(theirs, mine)
        rows, unit = taken(self.row.data, at), taken(self.unit, at)
        return Pooled(self.source, self.table, self.root, rows, outer, unit, self.picks, slot)

    def folded(self, columns: dict[str, pl.Series], totals: Sequence[pl.Expr]) -> pl.DataFrame:
        """Sums of whole numbers over the rows, for each tuple of the parent."""
        each = self.outer.each if isinstance(self.outer, Repeated) else 1
        units = len(self.picks.units)
        slot = repeated(0, self.size, INDEX) if self.slot is None else self.slot
        cell = slot.cast(pl.Int64) * units + self.unit
        frame = pl.DataFrame({"cell": cell, **columns}).lazy().group_by("cell").agg(*totals)
        every = pl.LazyFrame({"cell": pl.int_range(each * units, eager=True)})
        cells = every.join(frame, on="cell", how="left", maintain_order="left").drop("cell").collect()
        parts = [
            cells[name][at * units : (at + 1) * units].fill_null(0).cast(pl.Int64)
            for name in cells.columns
            for at in range(each)
        ]
        sums = self.picks.summed(parts)
        made = {name: sums[at * each : (at + 1) * each] for at, name in enumerate(cells.columns)}
        order = pl.int_range(each * self.picks.draws, eager=True)
        place = order % each * self.picks.draws + order // each
        return pl.DataFrame({name: pl.concat(found).gather(place) for name, found in made.items()})


class Repeated(Rows):
    """The same rows for every draw, `each` of them."""

    each: int

    def of_one_draw(self, values: pl.Series) -> pl.Series:
        """The values of the first draw, where all draws have the same."""
        first = values.head(self.each)
        again = first.gather(pl.int_range(self.size, dtype=INDEX, eager=True) % max(self.each, 1))
        if not values.eq_missing(again).all():
            raise Unfit
        return first


class Folded(Redrawn):
    """A study on all draws in which drawn rows are only summed."""

    def take(self, table: str, root: str, picks: Picks) -> None:
        """Set a table whose rows are drawn, each of them a unit."""
        self._drawn(table, root, picks.units, positions(len(picks.units)), picks)

    def follow(self, formula: Formula, drawn: Sequence[str]) -> None:
        """Set the rows that belong to each unit."""
        sets = [self._rows[table] for table in drawn]
        units = [Rows(self.base, one.table, one.root, one.size, one.rows) for one in sets]
        found: tuple[Rows, ...] = formula(self.base, *units)
        for rows in found:
            of = next((at for at, one in enumerate(units) if rows.outer is one), None)
            pooled = sets[of] if of is not None else None
            if not isinstance(pooled, Pooled) or rows.index is None or rows.short is not None:
                raise Unfit
            self._drawn(rows.table, rows.root, rows.row.data, rows.index, pooled.picks)

    def _drawn(self, table: str, root: str, rows: pl.Series, unit: pl.Series, picks: Picks) -> None:
        if table in self._rows or self.base.weights(root) is not None:
            raise Unfit
        self._rows[table] = Pooled(self, table, root, rows, self.draws, unit, picks)

    def _once_per_draw(self, rows: Rows) -> Rows:
        if not rows.size or rows.size * self.draws.size > MOST_TUPLES:
            raise Unfit
        plain = super()._once_per_draw(rows)
        made = Repeated(self, plain.table, plain.root, plain.size, plain.rows, self.draws, plain.index, plain.short)
        made.each = rows.size
        return made

    def read(self, rows: RowVec, name: str) -> Vec:
        """A column of these rows; one that a draw changes is read in full draws only."""
        if isinstance(rows.context, Pooled) and ("column", rows.root, name) in self.changed:
            raise Unfit
        return super().read(rows, name)
