"""Large tables as cubes: one row per combination of values, with the number of rows that it stands for.

Which tables the rules evaluate alike from their counts has been proved where the package was made (`counted` of a
table in `rules.py`); aggregates take the number of rows into account.
"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from protoc_runtime.engine.declare import Rules
from protoc_runtime.tables import TableData

WEIGHT = "_weight"
LEAST = 10_000  # rows below which counting costs as much as it saves


def counted(rules: Rules, tables: Mapping[str, TableData], least: int = LEAST) -> Mapping[str, TableData]:
    """The tables, those counted that can be and have at least so many rows."""
    made = {name: _counted(rules, data) for name, data in tables.items() if _counts(rules, data, least)}
    return {**tables, **made} if made else tables


def cube(data: TableData, weights: pl.Series) -> TableData:
    """A table whose rows stand for so many rows each."""
    return TableData(data.name, data.frame.with_columns(weights.cast(pl.Int64).alias(WEIGHT)), data.scales)


def height(data: TableData) -> int:
    """How many rows a table stands for."""
    return int(data.frame[WEIGHT].sum()) if WEIGHT in data.frame.columns else data.height


def _counts(rules: Rules, data: TableData, least: int) -> bool:
    rule = rules.tables.get(data.name)
    may = rule is not None and rule.counted is not None
    return may and data.height >= max(least, 1) and WEIGHT not in data.frame.columns


def _counted(rules: Rules, data: TableData) -> TableData:
    columns = list(rules.tables[data.name].counted or ())
    if not columns:
        return TableData(data.name, pl.DataFrame({WEIGHT: [data.height]}), {})
    found = data.frame.lazy().group_by(columns).len(WEIGHT).collect(engine="streaming")
    scales = {name: scale for name, scale in data.scales.items() if name in columns}
    return cube(TableData(data.name, found.drop(WEIGHT), scales), found[WEIGHT])
