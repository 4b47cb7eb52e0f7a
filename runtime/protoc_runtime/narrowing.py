"""Only the splits that a phase reads: the other rows, and what refers to them, are taken away before anything else.

A tuning phase thus never holds a held-out row, neither for its rules nor in its bundle, and a rate has the rows of its
own splits as denominator. A row whose split is undefined belongs to no split and stays.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from protoc_runtime.declared import Declared, Table
from protoc_runtime.record import record
from protoc_runtime.tables import TableData

if TYPE_CHECKING:
    import polars as pl

SPLITS = "splits"


def split_columns(table: Table) -> tuple[str, ...]:
    """The stored columns that tell the split of a row."""
    return tuple(c.name for c in table.stored if c.type.kind == "row" and c.type.table == SPLITS)


def only_splits(declared: Declared, tables: Mapping[str, TableData], splits: tuple[str, ...]) -> dict[str, TableData]:
    """The tables without the rows of other splits; references point to the same rows as before."""
    import polars as pl

    read = pl.Series([split.name in splits for split in declared.splits], dtype=pl.Boolean)
    return _kept(declared, tables, {SPLITS: read}, whole=frozenset({SPLITS}))


def keep_rows(
    declared: Declared, tables: Mapping[str, TableData], masks: Mapping[str, pl.Series]
) -> dict[str, TableData]:
    """The tables without the rows that a mask leaves out, and without what refers to these."""
    return _kept(declared, tables, masks, whole=frozenset())


def rows_of(declared: Declared, tables: Mapping[str, TableData], table: str, row: int) -> dict[str, list[int]]:
    """For each table the rows that are this row, or refer to it, also by way of others."""
    import polars as pl

    others = pl.Series([at != row for at in range(tables[table].height)], dtype=pl.Boolean)
    state = _State(declared, tables, {table: others})
    return {name: (~state.kept(name)).arg_true().to_list() for name in tables}


def _kept(
    declared: Declared, tables: Mapping[str, TableData], masks: Mapping[str, pl.Series], whole: frozenset[str]
) -> dict[str, TableData]:
    """`whole` are tables that keep their rows, although a mask tells which of them may be referred to."""
    state = _State(declared, tables, dict(masks))
    for name in tables:
        state.kept(name)
    cut = {name: mask for name, mask in state.masks.items() if name not in whole}
    return {name: _cut(declared, data, cut) for name, data in tables.items()}


@record
class _State:
    declared: Declared
    tables: Mapping[str, TableData]
    masks: dict[str, pl.Series]

    def kept(self, name: str) -> pl.Series:
        """Which rows of a table stay; tables that it refers to first. A table that refers to itself, also by way of
        others, is cut by the rows that it refers to only where these are known already."""
        import polars as pl

        if name in self.masks:
            return self.masks[name]
        data = self.tables[name]
        mask = pl.repeat(True, data.height, dtype=pl.Boolean, eager=True)
        self.masks[name] = mask
        for column, target in references(self.declared, name, data):
            mask = mask & self._allowed(data.frame.get_column(column), target)
        self.masks[name] = mask
        return mask

    def _allowed(self, column: pl.Series, target: str) -> pl.Series:
        import polars as pl

        good = self.kept(target).arg_true().cast(pl.UInt32)
        if column.dtype.is_nested():
            flat = pl.DataFrame({"row": pl.int_range(len(column), eager=True), "item": column}).explode("item")
            bad = flat.filter(pl.col("item").is_not_null() & ~pl.col("item").is_in(good.implode())).get_column("row")
            return ~pl.int_range(len(column), eager=True).is_in(bad.implode())
        return column.is_in(good.implode()) | column.is_null()


def references(declared: Declared, name: str, data: TableData) -> list[tuple[str, str]]:
    """The physical reference columns of a table that is present, each with its target."""
    table = declared.table(name)
    made = [("_parent", table.parent)] if table.kind == "nested" else []
    for column in table.stored:
        kind = column.type.item if column.type.kind in ("set", "list") and column.type.item else column.type
        if kind.kind == "row" and column.name != "_parent" and column.name in data.frame.columns:
            made.append((column.name, kind.table))
    return made


def _cut(declared: Declared, data: TableData, masks: Mapping[str, pl.Series]) -> TableData:
    import polars as pl

    if data.name not in masks:
        return data
    frame = data.frame.filter(masks[data.name])
    for column, target in references(declared, data.name, data):
        if target not in masks or bool(masks[target].all()):
            continue
        places = (masks[target].cast(pl.UInt32).cum_sum() - 1).cast(pl.UInt32)
        if frame.get_column(column).dtype.is_nested():
            moved = pl.col(column).list.eval(pl.lit(places).gather(pl.element()))
        else:
            moved = pl.lit(places).gather(pl.col(column))
        frame = frame.with_columns(moved.alias(column))
    return TableData(data.name, frame, data.scales)
