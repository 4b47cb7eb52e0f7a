"""Rows of a table opened in a context, and vectors of rows.

`Rows` is the context in which a formula about each row is evaluated. Filters and joins give new `Rows`; within one
parent the rows stay in the order in which the table declares them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Protocol

import polars as pl

from protoc_runtime.catalogue import rules as kinds
from protoc_runtime.engine.context import INDEX, ONE, Context, positions
from protoc_runtime.engine.faults import EngineError, stop
from protoc_runtime.engine.meeting import met
from protoc_runtime.engine.series import defined, filled, repeated, taken
from protoc_runtime.engine.vec import Bools, Nothing, Vec, nulls, select, where

MOST_PAIRS = 50_000_000


class Source(Protocol):
    """Where rows find what belongs to their table: the study."""

    def read(self, rows: RowVec, name: str) -> Vec:
        """A column of these rows."""

    def places(self, table: str) -> pl.Series:
        """For each row of the root its place in the table's order; null where it has none."""

    def key_column(self, root: str) -> str:
        """The key of a table with a single one."""

    def weights(self, root: str) -> pl.Series | None:
        """How many rows each stored row stands for; None where each stands for itself."""


class RowVec(Vec):
    """References: indices into a root table."""

    def __init__(self, context: Context, data: pl.Series, root: str, source: Source, *, identity: bool = False) -> None:
        self.identity = identity  # tuple i is row i of all rows
        self.context = context
        self.data = data
        self.root = root
        self.source = source

    def __getitem__(self, name: str) -> Any:
        return self.source.read(self, name)

    def take(self, index: pl.Series, context: Context) -> RowVec:
        """The references at these positions, undefined at a null."""
        return RowVec(context, taken(self.data, index), self.root, self.source)

    def values(self) -> list[Any]:
        """Indices into the root table as int, None where undefined."""
        return self.data.to_list()

    def defined(self) -> pl.Series:
        """A Boolean series without nulls: where a row is referred to."""
        return defined(self.data)

    def masked(self, keep: pl.Series) -> RowVec:
        """The same references, undefined where `keep` is not true."""
        return RowVec(self.context, where(keep, self.data), self.root, self.source)

    def keys(self, other: Vec) -> tuple[pl.Series, pl.Series]:
        """Both as indices; against a value that is no reference, the key of the row and that value."""
        if isinstance(other, RowVec):
            return self.data, other.data
        key: Vec = self[self.source.key_column(self.root)]
        return key.keys(other)

    def merged(self, others: Sequence[Vec], pick: pl.Series) -> RowVec:
        """Row by row the picked reference, undefined where the picked vector refers to no row."""
        series = [vec.data if isinstance(vec, RowVec) else nulls(vec.context.size, INDEX()) for vec in (self, *others)]
        return RowVec(self.context, select(series, pick), self.root, self.source)


class Rows(Context):
    """Rows of `table` (whose columns live in `root`) for each tuple of the parent context.

    `rows`: the row of each tuple, None where tuple i is row i. `short`: the tuples of the parent over whose rows
    every aggregate is undefined, since there are fewer than the formula asks for or a filter is undefined. `gaps`: the
    rows, by number, of which a filter is undefined, where `short` has no other reason.
    """

    def __init__(
        self,
        source: Source,
        table: str,
        root: str,
        size: int,
        rows: pl.Series | None = None,
        parent: Context = ONE,
        index: pl.Series | None = None,
        short: pl.Series | None = None,
        gaps: pl.Series | None = None,
    ) -> None:
        super().__init__(size, parent, index)
        self.source = source
        self.table = table
        self.root = root
        self.rows = rows
        self.short = short
        self.gaps = gaps

    @property
    def row(self) -> RowVec:
        """The row itself."""
        data = positions(self.size) if self.rows is None else self.rows
        return RowVec(self, data, self.root, self.source, identity=self.rows is None)

    @property
    def outer(self) -> Context:
        """The context in which these rows were opened, and in which aggregates over them live."""
        if self.parent is None:
            raise EngineError("rows without a parent")
        return self.parent

    @property
    def most(self) -> int:
        """No tuple of the parent has more rows than this."""
        weights = self.weights
        return self.size if weights is None else int(weights.sum())

    @property
    def rough(self) -> int:
        """A bound as `most`, that may be larger and costs nothing."""
        return self.most

    @cached_property
    def weights(self) -> pl.Series | None:
        """How many rows each tuple stands for; None where each stands for itself."""
        weights = self.source.weights(self.root)
        return weights if weights is None or self.rows is None else taken(weights, self.rows)

    def __getitem__(self, name: str) -> Any:
        return self.row[name]

    def folded(self, columns: dict[str, pl.Series], totals: Sequence[pl.Expr]) -> pl.DataFrame | None:
        """Sums over the rows that are held otherwise than one by one; None where they are not."""
        return None

    def named(self, table: str) -> Rows:
        """The same rows as the table of this name, which has none where it is undefined which rows they are."""
        known = self if self.short is None else self._kept(~taken(self.short, _index(self)))
        return Rows(self.source, table, self.root, known.size, known.rows, self.outer, known._index, self.short)

    def where(self, condition: Vec) -> Rows:
        """The rows for which the condition is true. Where it is undefined for a row, every aggregate over them is: it
        has been proved to be defined from what these rows break, or a guard around the formula hides this."""
        mask = condition.to(self)
        kept, gaps = self.narrow(mask), ~mask.defined()
        if gaps.any():
            kept.gaps = _also(self, self.row.data.filter(gaps))
            kept.short = either(kept.short, positions(self.outer.size).is_in(_index(self).filter(gaps).implode()))
        return kept

    def narrow(self, condition: Vec) -> Rows:
        """The rows for which a part of a condition is true; undefined counts as not true."""
        mask = condition.to(self)
        if not isinstance(mask, Bools):
            return self._kept(repeated(False, self.size, pl.Boolean))
        return self._kept(filled(mask.data, False))

    def only(self, mask: pl.Series) -> Rows:
        """The rows at the true places of a mask."""
        return self._kept(mask)

    def _kept(self, mask: pl.Series) -> Rows:
        rows = self.row.data.filter(mask)
        index = None if self.outer.size == 1 else _index(self).filter(mask)
        return Rows(self.source, self.table, self.root, len(rows), rows, self.outer, index, self.short, self.gaps)

    def open(self, inner: Rows, *pairs: tuple[Vec, Vec]) -> Rows:
        """For each tuple here the rows of `inner` whose value equals ours in every pair (theirs, ours).

        An undefined value equals nothing. Without a pair, all of them.
        """
        return inner.opened_in(self, pairs)

    def opened_in(self, outer: Rows, pairs: Sequence[tuple[Vec, Vec]]) -> Rows:
        """These rows for each tuple of `outer`: see `open`."""
        return outer.joined(self, pairs)

    def joined(self, inner: Rows, pairs: Sequence[tuple[Vec, Vec]]) -> Rows:
        """The join behind `open`."""
        mine, theirs = {}, {}
        for number, (one, two) in enumerate(pairs):
            one, two = one.to(inner), two.to(self)
            if isinstance(one, Nothing) or isinstance(two, Nothing):
                return self._opened(inner, positions(0), positions(0))
            theirs[f"k{number}"], mine[f"k{number}"] = one.keys(two)
        if inner.outer.size > 1:
            theirs["outer"], mine["outer"] = _index(inner), self.index_in(inner.outer)
        if not mine and self.size * inner.size > MOST_PAIRS:
            stop(kinds.TOO_MANY_PAIRS, outer=self.size, inner=inner.size, table=inner.table)
        if mine:
            there, here = met(theirs, mine)
            return self._opened(inner, here, there)
        pairs_ = pl.DataFrame({"here": positions(self.size)}).join(
            pl.DataFrame({"there": positions(inner.size)}), how="cross"
        )
        return self._opened(inner, pairs_["here"], pairs_["there"])

    def _opened(self, inner: Rows, here: pl.Series, there: pl.Series) -> Rows:
        rows = taken(inner.row.data, there)
        short = None if inner.short is None else taken(inner.short, self.index_in(inner.outer))
        return Rows(self.source, inner.table, inner.root, len(rows), rows, self, here, short)

    def earlier(self, base: RowVec) -> Rows:
        """The rows that stand before `base` in the order of the table."""
        places = self.source.places(self.table)
        bound = taken(places, base.to(self.outer).data)
        mask = taken(places, self.row.data) < taken(bound, _index(self))
        kept = self._kept(filled(mask, False))
        kept.short = either(kept.short, bound.is_null() if bound.null_count() else None)
        return kept

    def latest(self, inner: Rows, base: RowVec, count: int) -> Rows:
        """For each tuple here the `count` rows of `inner` that end at `base`; where there are fewer, none."""
        frame = pl.DataFrame({"outer": inner.index_in(inner.outer), "row": inner.row.data, "at": positions(inner.size)})
        frame = frame.with_columns(place=pl.col("at") - pl.col("at").min().over("outer"))
        ends = pl.DataFrame({"outer": self.index_in(inner.outer), "row": base.to(self).data})
        met = ends.join(frame, on=["outer", "row"], how="left", maintain_order="left")
        short = (met["place"] < count - 1).fill_null(True)
        begin = met["at"].filter(~short).cast(pl.Int64) - (count - 1)
        here = positions(self.size).filter(~short)
        window = pl.DataFrame({"here": here, "there": pl.int_ranges(begin, begin + count, eager=True)})
        window = window.explode("there")
        opened = self._opened(inner, window["here"], window["there"].cast(INDEX))
        opened.short = either(opened.short, short if short.any() else None)
        return opened

    def ordered(self, *by: Vec) -> Rows:
        """The rows in the order of these values, within each tuple of the parent. A tie stops the run."""
        columns = {f"k{number}": _sortable(vec.to(self), self.table) for number, vec in enumerate(by)}
        frame = pl.DataFrame({"outer": _index(self), **columns, "at": positions(self.size)})
        frame = frame.sort(["outer", *columns, "at"])
        if frame.select(pl.struct("outer", *columns).is_duplicated().any()).item():
            stop(kinds.ORDER_TIES, table=self.table)
        rows, index = taken(self.row.data, frame["at"]), frame["outer"]
        return Rows(self.source, self.table, self.root, self.size, rows, self.outer, index, self.short)


def either(one: pl.Series | None, other: pl.Series | None) -> pl.Series | None:
    """Where one of two marks stands."""
    return other if one is None else one if other is None else one | other


def _also(rows: Rows, gaps: pl.Series) -> pl.Series | None:
    """The gaps of rows with further ones; None where all of the rows are undefined already."""
    if rows.gaps is not None:
        return pl.concat([rows.gaps, gaps])
    return gaps if rows.short is None else None


def _index(rows: Rows) -> pl.Series:
    index = rows.index
    if index is None:
        raise EngineError("rows without an index")
    return index


def _sortable(vec: Vec, table: str) -> pl.Series:
    if not vec.defined().all():
        stop(kinds.ORDER_UNDEFINED, table=table)
    return vec.ordered(vec)[0]
