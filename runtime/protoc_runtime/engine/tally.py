"""How many rows there are of each tuple of a parent, and what their whole numbers come to."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import repeat
from typing import NamedTuple

import polars as pl

from protoc_runtime.engine.faults import EngineError
from protoc_runtime.engine.groups import totals
from protoc_runtime.engine.rows import Rows
from protoc_runtime.engine.series import filled, repeated

FEW = 400  # rows that are counted one by one sooner than a query is planned


class Tally(NamedTuple):
    """For each tuple of the parent: the sum of the defined values, how many are undefined, and the number of rows."""

    total: pl.Series
    gaps: pl.Series
    size: pl.Series


def tally(rows: Rows, values: pl.Series | None = None) -> Tally:
    """Counts of the rows, and sums of a whole number of each (Int64, proved to fit), weighed as the rows are."""
    weights = rows.weights
    given = {"v": values, "w": weights}
    columns = {name: column for name, column in given.items() if column is not None}
    asked = [pl.len().cast(pl.Int64).alias("size") if weights is None else pl.col("w").sum().alias("size")]
    if values is not None:
        weighed = pl.col("v") if weights is None else pl.col("v") * pl.col("w")
        asked += [weighed.sum().alias("total"), pl.col("v").null_count().alias("gaps")]
    found = rows.folded(columns, asked)
    if found is None:
        if max(rows.size, rows.outer.size) <= FEW:
            return _few(rows, values, weights)
        found = totals(rows, columns, *asked)
    size = filled(found["size"], 0)
    if values is None:
        none = repeated(0, len(size), pl.Int64)
        return Tally(none, none, size)
    return Tally(filled(found["total"], 0), filled(found["gaps"], 0), size)


def _few(rows: Rows, values: pl.Series | None, weights: pl.Series | None) -> Tally:
    """The same in a loop."""
    size = rows.outer.size
    sums, gaps, counts = [0] * size, [0] * size, [0] * size
    numbers: Iterable[int | None] = repeat(0) if values is None else values.to_list()
    many: Iterable[int] = repeat(1) if weights is None else weights.to_list()
    for at, number, weight in zip(_parents(rows), numbers, many, strict=False):
        counts[at] += weight
        if number is None:
            gaps[at] += 1
        else:
            sums[at] += number * weight
    return Tally(*(pl.Series(found, dtype=pl.Int64) for found in (sums, gaps, counts)))


def _parents(rows: Rows) -> list[int]:
    """For each row its tuple in the parent."""
    if rows.outer.size == 1:
        return [0] * rows.size
    if rows.index is None:
        raise EngineError("rows without an index")
    found: list[int] = rows.index.to_list()
    return found
