"""A digest that knows rows by what they say.

The name of the file, the order of rows and of keys, line endings and the spelling of a number (`0.50`, `0.5`) do not
change it. Columns that tell the split are left out, so that a split is recognised under another name.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from fractions import Fraction
from typing import Any

import polars as pl

from protoc_runtime.declared import Column, Declared
from protoc_runtime.reading.canonical import columns_of, json_text
from protoc_runtime.reading.decimals import decimal_text
from protoc_runtime.reading.layout import own_columns
from protoc_runtime.tables import RATIONAL, TableData, number

_ESCAPED = r'[\x00-\x1f"\\]'
_LINES = 65_536  # lines that are hashed at once


def content_digest(
    declared: Declared,
    data: TableData,
    tables: Mapping[str, TableData],
    *,
    rows: Collection[int] | None = None,
) -> str:
    """`sha256:` over the sorted canonical JSON of all rows, or of those with these indexes.

    Keys are sorted, a number that is no integer is a text of its exact value, references are the keys that they name.
    """
    lines = canonical_lines(cell_texts(declared, data, tables))
    if rows is not None:
        lines = lines.gather(pl.Series(sorted(rows), dtype=pl.UInt32))
    hashed = hashlib.sha256()
    ordered = lines.sort()
    for start in range(0, ordered.len(), _LINES):
        hashed.update("".join(f"{line}\n" for line in ordered.slice(start, _LINES)).encode("utf-8"))
    return "sha256:" + hashed.hexdigest()


def canonical_lines(texts: Mapping[str, pl.Series]) -> pl.Series:
    """One line of canonical JSON for each row, from its cells."""
    parts: list[pl.Expr] = []
    for name in sorted(texts):
        parts += [pl.lit("{" if not parts else ","), pl.lit(f"{json_text(name)}:"), pl.col(name)]
    return pl.DataFrame(texts).select(pl.concat_str([*parts, pl.lit("}")])).to_series() if parts else pl.Series([""])


def cell_texts(declared: Declared, data: TableData, tables: Mapping[str, TableData]) -> dict[str, pl.Series]:
    """Each column in canonical JSON, cell by cell."""
    table = declared.table(data.name)
    made: dict[str, pl.Series] = {}
    inside = [name for name, _ in declared.nested(data.name) if f"{data.name}.{name}" in tables]
    for column in own_columns(table):
        if column.type.table == "splits" or column.name not in data.frame.columns:
            continue
        if column.type.item is not None:
            inside.append(column.name)
            continue
        made[column.name] = _column_texts(declared, data, tables, column).fill_null("null").alias(column.name)
    if inside:
        whole = columns_of(declared, data, tables)
        made |= {name: pl.Series(name, [json_text(_plain(cell)) for cell in whole[name]]) for name in inside}
    return made


def _column_texts(declared: Declared, data: TableData, tables: Mapping[str, TableData], column: Column) -> pl.Series:
    series = data.frame[column.name]
    if column.type.kind == "row":
        target = tables[column.type.table]
        key = declared.table(target.name).column(declared.table(target.name).key[0])
        assert key is not None
        return _column_texts(declared, target, tables, key).gather(series)
    scale = data.scales.get(column.name)
    if series.dtype == pl.String and scale is None and not series.str.contains(_ESCAPED).any():
        return pl.DataFrame({"text": series}).select(pl.concat_str([pl.lit('"'), "text", pl.lit('"')])).to_series()
    if series.dtype == pl.Int64 and scale is None:
        return series.cast(pl.String)
    distinct = series.drop_nulls().unique()
    texts = [_text(value, scale) for value in distinct]
    known = pl.DataFrame({"value": distinct, "text": pl.Series(texts, dtype=pl.String)})
    cells = pl.DataFrame({"value": series}).join(known, on="value", how="left", maintain_order="left")
    return cells["text"]


def _text(value: Any, scale: int | None) -> str:
    if scale is None:
        return json_text(value)
    exact = Fraction(value) if scale == RATIONAL else number(value, scale)
    assert exact is not None
    return json_text(decimal_text(exact))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(value[name]) for name in sorted(value)}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return decimal_text(value) if isinstance(value, Fraction) else value
