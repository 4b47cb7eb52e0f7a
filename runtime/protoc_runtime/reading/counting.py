"""Parquet files as counts: how often each combination of a few columns occurs, streamed from the file.

Only the columns that are counted are read. The values of each combination go through the same checks as those of a
row; whatever is not plainly right makes the reader give up, so that the rows are read one by one and told exactly.
What needs other columns or single rows (unique keys, the other columns' values) is not checked.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import polars as pl

from protoc_runtime.declared import Declared, Table
from protoc_runtime.diagnostics import Findings
from protoc_runtime.engine.counted import cube
from protoc_runtime.reading import parquet
from protoc_runtime.reading.builder import Builder
from protoc_runtime.reading.faults import Faults, Place
from protoc_runtime.reading.files import Source, sources
from protoc_runtime.reading.layout import layout
from protoc_runtime.reading.tables import finished, listed_tables, with_split
from protoc_runtime.record import replace
from protoc_runtime.tables import TableData

_COUNT = "\0count"  # no column of a spec has this name


def count_rows(declared: Declared, table: Table, columns: Collection[str], folder: Path) -> TableData | None:
    """A table with one row per combination of these columns, and its number of rows.

    None where the table is not stored as Parquet, has no rows, or has something that must be looked at row by row.
    """
    faults = Faults(table.name, Findings())
    found = sources(declared, table, folder, None, faults)
    if not found or table.unpivot is not None or any(source.path.suffix != ".parquet" for source in found):
        return None
    return None if faults.count else _counted(declared, table, columns, found, faults)


def _counted(
    declared: Declared, table: Table, columns: Collection[str], found: list[Source], faults: Faults
) -> TableData | None:
    whole = layout(declared, table)
    few = replace(whole, fields=tuple(field for field in whole.fields if field.name in columns))
    builder = Builder(few, faults)
    splits: list[str] = []
    counts: list[pl.Series] = []
    for source in found:
        faults.places.append(Place(str(source.path), builder.height))
        added = _add(source, builder, Builder(whole, faults))
        if added is None or faults.count:
            return None
        counts.append(added)
        splits += [source.split] * added.len()
    raw = builder.finish()
    if whole.split in columns:
        raw = with_split(declared, raw, splits)
    made = finished({**listed_tables(declared), table.name: raw}, only={table.name})[table.name]
    weights = pl.concat(counts)
    return None if faults.count or not weights.sum() else cube(made, weights)


def _add(source: Source, builder: Builder, whole: Builder) -> pl.Series | None:
    """Count one file into the builder; how many rows each of its combinations has, or None to give up."""
    name = str(source.path)
    try:
        rows = parquet.scan(source.path)
        schema = rows.collect_schema()
        if not parquet.fits(pl.DataFrame(schema=schema), name, whole):
            return None
        wanted = {field.stored for field in builder.plain}
        stored = [column for column in schema if column in wanted]  # in another order polars takes twice the memory
        if stored:
            frame = rows.select(stored).group_by(stored).len(_COUNT).collect(engine="streaming")
        else:
            frame = rows.select(pl.len().alias(_COUNT)).collect(engine="streaming")
    except (pl.exceptions.PolarsError, OSError):
        return None
    parquet.take(frame, builder)
    return frame[_COUNT].cast(pl.Int64)
