"""Tables that formulas make: groups, products, stacks, samples, and the entries of items."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Protocol

import polars as pl

from protoc_runtime.catalogue import rules as kinds
from protoc_runtime.engine.context import INDEX, Context, positions
from protoc_runtime.engine.declare import Rules, TableRule
from protoc_runtime.engine.faults import EngineError, stop
from protoc_runtime.engine.meeting import numbered, within
from protoc_runtime.engine.rows import Rows, RowVec, either
from protoc_runtime.engine.series import taken
from protoc_runtime.engine.vec import Vec, aligned, merge
from protoc_runtime.tables import TableData


class Groups:
    """One row per distinct key over some rows, sorted by key. `short`: where it is undefined which groups there are,
    since it is which rows there are or what their keys are; there are none then."""

    def __init__(self, rows: Rows, keys: Mapping[str, Vec]) -> None:
        self.rows = rows
        vecs = {name: vec.to(rows) for name, vec in keys.items()}
        places = {f"p{n}": vec.ordered(vec)[0] for n, vec in enumerate(vecs.values())}
        same = {f"k{n}": vec.keys(vec)[0] for n, vec in enumerate(vecs.values())}
        inside = rows.index_in(rows.outer)
        frame = pl.DataFrame({"outer": inside, **places, **same, "at": positions(rows.size)})
        lacking = frame.filter(pl.any_horizontal(pl.col(*same).is_null()))["outer"]
        self.short = rows.short
        if len(lacking):
            self.short = either(self.short, positions(rows.outer.size).is_in(lacking.implode()))
        if self.short is not None:
            frame = frame.filter(~taken(self.short, inside))
        frame = frame.unique(["outer", *same], keep="first", maintain_order=True)
        frame = frame.sort(["outer", *places])
        self.size = frame.height
        self.outer = frame["outer"]
        self._at = frame["at"]
        self._keys = vecs

    def column(self, name: str, context: Context) -> Vec:
        """A key column, one value per group."""
        return self._keys[name].take(self._at, context)


def grouped(rows: Rows, keys: Mapping[str, Vec]) -> Groups:
    """The groups of rows by these keys."""
    return Groups(rows, keys)


class Parts(Protocol):
    """The study, as far as a table that is made from others asks it for these."""

    rules: Rules

    def declared(self, table: str) -> TableRule:
        """What is declared of a table."""

    def table(self, root: str) -> Rows:
        """All rows of a root table as they are stored."""

    def rows(self, table: str) -> Rows:
        """The rows of a table in its order."""

    def groups(self, table: str) -> Groups:
        """The groups of a grouped table."""

    def table_data(self, table: str) -> TableData | None:
        """The stored rows of a table; None for an observed record that there is not."""


def height(study: Parts, table: TableRule) -> int:
    """How many rows a root table has."""
    if table.kind == "listed":
        return len(table.listed)
    if table.kind == "grouped":
        return study.groups(table.name).size
    if short(study, table) is not None:
        return 0
    sizes = [study.rows(part).size for part in table.parts]
    if table.kind == "cross":
        made = 1
        for size in sizes:
            made *= size
        return made
    if table.kind == "stack":
        return sum(sizes)
    data = study.table_data(table.name)
    return data.height if data is not None else 0


def short(study: Parts, table: TableRule) -> pl.Series | None:
    """Where it is undefined which rows a root table has: see `Rows`."""
    if table.kind == "grouped":
        return study.groups(table.name).short
    found = None
    for part in table.parts if table.kind in ("cross", "stack") else ():
        found = either(found, study.rows(part).short)
    return found


def column(study: Parts, table: TableRule, name: str) -> Vec:
    """A column of a grouped table, a product or a stack that is not a formula of its own."""
    whole = study.table(table.name)
    if table.kind == "grouped":
        return study.groups(table.name).column(name, whole)
    if table.kind == "stack":
        return _stacked(study, table, name, whole)
    for part, row in zip(table.parts, _factors(study, table, whole), strict=True):
        if name == part:
            return row
        if name in study.declared(row.root).columns or (row.root, name) in study.rules.columns:
            found: Vec = row[name]
            return found
    raise EngineError(f"{table.name} has no column {name}")


def _factors(study: Parts, table: TableRule, whole: Rows) -> list[RowVec]:
    """The row of each part in a product, the last part turning fastest."""
    made, block, at = [], whole.size, pl.DataFrame({"at": positions(whole.size)})
    for part in table.parts:
        rows = study.rows(part)
        block = block // max(rows.size, 1)
        index = at.select((pl.col("at") // max(block, 1) % max(rows.size, 1)).cast(INDEX))["at"]
        made.append(rows.row.take(index, whole))
    return made


def _stacked(study: Parts, table: TableRule, name: str, whole: Rows) -> Vec:
    vecs, pick, before = [], [], 0
    if whole.short is not None:
        return merge([study.rows(part)[name].take(positions(0), whole) for part in table.parts], _gap(0))
    for number, part in enumerate(table.parts):
        rows = study.rows(part)
        here = pl.concat([_gap(before), positions(rows.size), _gap(whole.size - before - rows.size)])
        vecs.append(rows[name].take(here, whole))
        pick += [number] * rows.size
        before += rows.size
    return merge(vecs, pl.Series(pick, dtype=pl.Int32))


def _gap(size: int) -> pl.Series:
    return pl.Series([None] * size, dtype=INDEX)


def dense(rows: Rows, by: Sequence[Vec]) -> pl.Series:
    """For each row its place in the order of these values; equal ones share it, undefined ones have none."""
    keys = {f"k{number}": vec.to(rows).ordered(vec.to(rows))[0] for number, vec in enumerate(by)}
    frame = pl.DataFrame({**keys, "at": positions(rows.size)}).drop_nulls().sort([*keys, "at"])
    new = pl.any_horizontal(pl.col(name).ne_missing(pl.col(name).shift()) for name in keys)
    frame = frame.select("at", new.cast(pl.UInt32).cum_sum().alias("place"))
    every = pl.DataFrame({"at": positions(rows.size)})
    return every.join(frame, on="at", how="left", maintain_order="left")["place"]


def sample(rows: Rows, count: int, seed: str, groups: Sequence[str] | None = None) -> Rows:
    """So many rows without repetition, in the order of the table; with `groups`, one name per row, so many of each.

    Mersenne Twister seeded with the number, or the text; each draw takes the item floor(u k) of the k that are left.
    A group has a generator of its own, seeded with the text `seed/name`.
    """
    if rows.short is not None:
        return rows
    if groups is None:
        places_taken = _drawn(rows, list(range(rows.size)), count, seed)
    else:
        places: dict[str, list[int]] = {}
        for place, name in enumerate(groups):
            places.setdefault(name, []).append(place)
        places_taken = [place for name, left in places.items() for place in _drawn(rows, left, count, f"{seed}/{name}")]
    kept = rows.row.data.gather(pl.Series(sorted(places_taken), dtype=INDEX))
    return Rows(rows.source, rows.table, rows.root, len(kept), kept, rows.outer)


def _drawn(rows: Rows, left: list[int], count: int, seed: str) -> list[int]:
    generator = random.Random(int(seed) if seed.lstrip("-").isdigit() else seed)  # noqa: S311
    if count > len(left):
        stop(kinds.SAMPLE_TOO_LARGE, wanted=count, size=len(left), table=rows.table)
    return [left.pop(int(generator.random() * len(left))) for _ in range(count)]


def entry(value: Vec, keys: Sequence[Rows], rows: Sequence[RowVec]) -> Vec:
    """The entries that belong to these rows; undefined for a row without one."""
    wanted = [vec for vec in aligned(*rows) if isinstance(vec, RowVec)]
    context = wanted[0].context
    innermost = keys[-1]
    if len(keys) == 1 and innermost.outer.size == 1 and numbered(innermost.row.data):
        return value.take(within(wanted[0].data, innermost.size), context)
    index = {f"k{n}": key.row.to(innermost).data for n, key in enumerate(keys)}
    known = pl.DataFrame({**index, "at": positions(innermost.size)})
    asked = pl.DataFrame({f"k{n}": vec.data for n, vec in enumerate(wanted)})
    if keys[0].outer.size > 1:
        known = known.with_columns(innermost.index_in(keys[0].outer).alias("outer"))
        asked = asked.with_columns(context.index_in(keys[0].outer).alias("outer"))
    names = [name for name in known.columns if name != "at"]
    known = known.unique(names, keep="first", maintain_order=True)  # a row that was drawn twice has one entry
    at = asked.join(known, on=names, how="left", maintain_order="left")["at"]
    return value.take(at, context)
