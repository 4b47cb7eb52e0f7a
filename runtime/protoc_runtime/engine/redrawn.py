"""A study on a batch of draws: the tables that were drawn, and all that a draw changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from protoc_runtime.engine.context import INDEX, ONE, Context, positions
from protoc_runtime.engine.declare import Formula, IntervalRule
from protoc_runtime.engine.faults import EngineError
from protoc_runtime.engine.rows import Rows, RowVec, either
from protoc_runtime.engine.series import repeated, taken
from protoc_runtime.engine.study import BaseStudy, Entries
from protoc_runtime.engine.vec import Vec, lift


class Redrawn(BaseStudy):
    """As many draws as its root context has tuples; each table has its rows once per draw."""

    def __init__(self, base: BaseStudy, interval: IntervalRule, draws: int) -> None:
        super().__init__(base.rules, base.data, base.digests)
        self.base = base
        self.changed = interval.changed
        self._fixed = {self.declared(table).root for table in interval.drawn}
        self.draws = Context(draws, ONE, repeated(0, draws, INDEX))

    @property
    def root(self) -> Context:
        """The context of the draws."""
        return self.draws

    def put(self, table: str, root: str, rows: pl.Series, index: pl.Series, short: pl.Series | None = None) -> None:
        """Set the drawn rows of a table; further ones stand behind the first. `short`: the draws in which it is
        undefined which rows they are."""
        before = self._rows.get(table)
        short = either(short, None if before is None else before.short)
        if before is not None and before.rows is not None and before.index is not None:
            rows, index = pl.concat([before.rows, rows]), pl.concat([before.index, index])
            place = _stable(index)
            rows, index = taken(rows, place), taken(index, place)
        self._rows[table] = Rows(self, table, root, len(rows), rows, self.draws, index, short).named(table)

    def follow(self, formula: Formula, drawn: Sequence[str]) -> None:
        """Set the rows that come with each drawn row."""
        sets = [self._rows[table] for table in drawn]
        found: tuple[Rows, ...] = formula(self.base, *sets)
        for rows in found:
            if rows.index is None:
                raise EngineError("rows that follow a draw belong to a drawn row")
            place, draw, short = _stable(rows.index), rows.index_in(self.draws), None
            if rows.short is not None:
                short = self._of_draws(rows.outer.index_in(self.draws).filter(rows.short))
            self.put(rows.table, rows.root, taken(rows.row.data, place), taken(draw, place), short)

    def _of_draws(self, found: pl.Series) -> pl.Series:
        return positions(self.draws.size).is_in(found.implode())

    def entry_values(self, metric: str, keys: Sequence[tuple[Rows, int]]) -> list[Any]:
        """A metric for every draw; its entry of one row (by number) of each table, if it has entries."""
        opened: list[Rows] = []
        for table, row in keys:
            outer: Context = opened[-1] if opened else self.draws
            data = repeated(row, outer.size, INDEX)
            opened.append(Rows(self, table.table, table.root, outer.size, data, outer, positions(outer.size)))
        return self.evaluated(self.rules.items["metrics", metric], opened).value.values()

    # --- what a draw changes --------------------------------------------------------------------------------------

    def _opened(self, table: Any) -> Rows:
        if ("table", table.name) in self.changed:
            if table.kind in ("subset", "grouped"):
                return super()._opened(table)
            raise EngineError(f"a draw changes {table.name}, a table of the kind {table.kind}")
        return self._once_per_draw(self.base.rows(table.name))

    def _once_per_draw(self, rows: Rows) -> Rows:
        size = self.draws.size
        places = pl.int_range(rows.size * size, dtype=INDEX, eager=True)
        index, place = places // max(rows.size, 1), places % max(rows.size, 1)
        data = taken(rows.row.data, place)
        short = None if rows.short is None else repeated(rows.short[0], size, pl.Boolean)
        return Rows(self, rows.table, rows.root, len(places), data, self.draws, index, short)

    def table(self, root: str) -> Rows:
        """All rows of a root table for each draw; of a group table the groups of each draw."""
        if root not in self._whole:
            if self._regrouped(root):
                groups = self.groups(root)
                self._whole[root] = Rows(self, root, root, groups.size, None, self.draws, groups.outer, groups.short)
            else:
                self._whole[root] = self._once_per_draw(self.base.table(root))
        return self._whole[root]

    def keyed(self, table: str) -> Rows:
        """Every row of a root table has an entry, drawn or not; of a subset those that it has in the draw."""
        whole = table == self.declared(table).root and not self._regrouped(table)
        return self._once_per_draw(self.base.rows(table)) if whole else self.rows(table)

    def _regrouped(self, root: str) -> bool:
        """Whether the groups are made anew; not where they are what is drawn."""
        changed = ("table", root) in self.changed and root not in self._fixed
        return changed and self.declared(root).kind == "grouped"

    def read(self, rows: RowVec, name: str) -> Vec:
        """A column of these rows, as the draw has it."""
        grouped = self._regrouped(rows.root)
        if grouped or ("column", rows.root, name) in self.changed:
            found: Vec = self.column(rows.root, name)
            data = rows.data
            if not grouped:
                count = self.base.table(rows.root).size
                data = rows.context.index_in(self.draws) * count + rows.data
            return _bound_to(self, found.take(data, rows.context))
        base: Vec = self.base.column(rows.root, name)
        return _bound_to(self, base.take(rows.data, rows.context))

    def _column(self, table: Any, name: str) -> Vec:
        formula = self.rules.columns.get((table.name, name))
        if formula is not None:
            return lift(formula(self)).to(self.table(table.name))
        return super()._column(table, name)

    def bound(self, interval: str, which: str, *rows: RowVec) -> Any:
        """An output of another interval, which no draw changes."""
        return self.base.bound(interval, which, *rows)

    def entries(self, space: str, name: str) -> Entries:
        """The value of an item: anew where the draw changes it."""
        if ("item", space, name) in self.changed:
            return super().entries(space, name)
        return self.base.entries(space, name)

    def places(self, table: str) -> pl.Series:
        """A draw has no order of its own."""
        if ("table", table) in self.changed:
            raise EngineError(f"the order of {table} is read in a draw")
        return self.base.places(table)


def _stable(keys: pl.Series) -> pl.Series:
    """The places that sort these keys; equal ones keep their order."""
    return pl.DataFrame({"key": keys, "at": positions(len(keys))}).sort(["key", "at"])["at"]


def _bound_to(study: BaseStudy, vec: Vec) -> Vec:
    """References lead on into this study."""
    return RowVec(vec.context, vec.data, vec.root, study) if isinstance(vec, RowVec) else vec
