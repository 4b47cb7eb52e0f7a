"""Tables of small Python rows for tests of the engine, without files and without a compiler."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import polars as pl

from protoc_runtime.engine.api import Rules, Study
from protoc_runtime.tables import TableData

DTYPES = {
    "bool": pl.Boolean,
    "int": pl.Int64,
    "text": pl.String,
    "digest": pl.String,
    "any": pl.String,
    "date": pl.Date,
    "time": pl.Datetime("us", "UTC"),
}
PLACES = 6


def data(name: str, kinds: Mapping[str, str], rows: Sequence[Sequence[Any]]) -> TableData:
    """Physical columns of rows; numbers get six decimals, or the form for any rational where these do not do."""
    columns, scales = {}, {}
    for at, (column, kind) in enumerate(kinds.items()):
        values = [row[at] for row in rows]
        if kind == "number":
            exact = [None if value is None else Fraction(value) for value in values]
            fits = all(v is None or ((v * 10**PLACES).denominator == 1 and abs(v) < 10**12) for v in exact)
            scales[column] = PLACES if fits else -1
            columns[column] = (
                pl.Series([None if v is None else int(v * 10**PLACES) for v in exact], dtype=pl.Int64)
                if fits
                else pl.Series(
                    [None if v is None else f"{v.numerator}/{v.denominator}" for v in exact], dtype=pl.String
                )
            )
        elif kind.startswith("ref "):
            columns[column] = pl.Series(values, dtype=pl.UInt32)
        elif kind.startswith("enum "):
            columns[column] = pl.Series(values, dtype=pl.Enum(kind[5:].split()))
        elif kind.startswith(("set of", "list of")):
            columns[column] = pl.Series(values, dtype=pl.List(DTYPES[kind.split(" of ")[1]]))
        else:
            columns[column] = pl.Series(values, dtype=DTYPES[kind])
    return TableData(name, pl.DataFrame(columns), scales)


def study(
    tables: Mapping[str, tuple[Mapping[str, str], Sequence[Sequence[Any]]]],
    rules: Rules | None = None,
    **declared: Mapping[str, Any],
) -> Study:
    """A study over tables of (kinds by column, rows); the first column is the key."""
    rules = rules or Rules("small", 1)
    made = {}
    for name, (kinds, rows) in tables.items():
        bare = {column: "enum" if kind.startswith("enum ") else kind for column, kind in kinds.items()}
        rules.table(name, "rows", columns=bare, **{"key": (next(iter(kinds)),), **declared.get(name, {})})
        made[name] = data(name, kinds, rows)
    return Study(rules, made)
