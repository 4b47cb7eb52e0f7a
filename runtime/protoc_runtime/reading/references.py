"""Keys are unique, and references lead to rows: the checks that need whole tables."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

import polars as pl

from protoc_runtime.catalogue import rows as kinds
from protoc_runtime.declared import Table
from protoc_runtime.diagnostics import Related
from protoc_runtime.reading import alike, columns, decimals, numbers
from protoc_runtime.reading.builder import Raw
from protoc_runtime.reading.faults import shown
from protoc_runtime.reading.layout import Field
from protoc_runtime.reading.numbers import Numbers

_NEAR = 500  # so many keys are searched for one that is spelled alike


def check_keys(raw: Raw) -> None:
    """Tell each row whose key another row before it has, with both places."""
    table = raw.layout.table
    keys = [name for name in table.key if name in raw.frame.columns]
    if keys and len(keys) == len(table.key):
        alike.check(raw, keys)
    if not keys or table.duplicates or len(keys) != len(table.key) or raw.frame.height == _distinct(raw.frame, keys):
        return
    needed = [field.name for field in raw.layout.fields if field.name in keys and not field.optional]
    rows = raw.frame.select(keys).with_row_index("at").drop_nulls(needed)
    first = rows.group_by(keys, maintain_order=True).agg(pl.col("at").first().alias("before"))
    again = rows.join(first, on=keys, nulls_equal=True).filter(pl.col("at") != pl.col("before")).sort("at")
    for row in again.iter_rows(named=True):
        key = ", ".join(f"{name} {_key_text(raw, name, row[name])}" for name in keys)
        related = [Related(raw.faults.span(row["before"]), "the first row with this key")]
        raw.faults.add(kinds.DUPLICATE_KEY, raw.faults.span(row["at"]), related=related, table=table.name, found=key)


def _distinct(frame: pl.DataFrame, keys: list[str]) -> int:
    return frame[keys[0]].n_unique() if len(keys) == 1 else frame.select(pl.struct(keys).n_unique()).item()


def resolved(raw: Raw, field: Field, tables: Mapping[str, Raw]) -> pl.Series:
    """A reference column as row indexes of the table that it refers to."""
    target = tables.get(field.target)
    series = raw.frame[field.name]
    if target is None:
        return pl.repeat(None, series.len(), dtype=pl.UInt32, eager=True).alias(field.name)
    if field.type.kind in ("set", "list"):
        return _resolved_lists(raw, field, series, target)
    scale = raw.scales.get(field.name)
    made = _lookup(series, scale, target)
    _tell_unknown(raw, field, series, made, target)
    return made.alias(field.name)


def _resolved_lists(raw: Raw, field: Field, series: pl.Series, target: Raw) -> pl.Series:
    lengths = series.list.len().to_list()
    flat = columns.items(series)
    owners = pl.Series([i for i, n in enumerate(lengths) for _ in range(n or 0)], dtype=pl.UInt32)
    made = _lookup(flat, raw.scales.get(field.name), target)
    _tell_unknown(raw, field, flat, made, target, owners)
    grouped = columns.regrouped(made, lengths)
    return (grouped.list.sort() if field.type.kind == "set" else grouped).alias(field.name)


def _lookup(series: pl.Series, scale: int | None, target: Raw) -> pl.Series:
    keys, wanted = _comparable(series, scale, target)
    index = pl.DataFrame({"key": keys}).with_row_index("row").drop_nulls("key").unique("key", keep="first")
    return pl.DataFrame({"key": wanted}).join(index, on="key", how="left", maintain_order="left")["row"]


def _comparable(series: pl.Series, scale: int | None, target: Raw) -> tuple[pl.Series, pl.Series]:
    key = target.layout.table.key[0]
    keys = target.frame[key]
    if scale is None:
        return keys, series
    both = numbers.joined([Numbers(keys, target.scales[key]), Numbers(series, scale)]).series
    return both.head(keys.len()), both.tail(series.len())


def _tell_unknown(
    raw: Raw, field: Field, given: pl.Series, made: pl.Series, target: Raw, owners: pl.Series | None = None
) -> None:
    unknown = (made.is_null() & given.is_not_null()).arg_true()
    table = target.layout.table
    if unknown.len() == 0 or any(target.frame[name].null_count() for name in table.key):
        return
    for index in unknown:
        row = index if owners is None else owners[index]
        found = given[index]
        text = _text(found, raw.scales.get(field.name))
        raw.faults.at(
            kinds.UNKNOWN_REFERENCE,
            raw.outer(row),
            _row_key(raw, row),
            field.name,
            found=text,
            expected=table.name,
            key_name=", ".join(table.key),
            hint=_hint(found, target),
        )


def _hint(found: object, target: Raw) -> str:
    table: Table = target.layout.table
    keys = target.frame[table.key[0]]
    if isinstance(found, str) and keys.len() <= _NEAR and keys.dtype == pl.String:
        near = difflib.get_close_matches(found, keys.to_list(), 1, 0.6)
        if near:
            return f"did you mean {near[0]}?"
    return f"write a key of {table.name}, or add the row there"


def _row_key(raw: Raw, row: int) -> str:
    names = [name for name in raw.layout.table.key if name in raw.frame.columns]
    return ", ".join(f"{name} {_key_text(raw, name, raw.frame[name][row])}" for name in names)


def _key_text(raw: Raw, name: str, stored: object) -> str:
    return _text(stored, raw.scales.get(name))


def _text(stored: object, scale: int | None) -> str:
    if scale is not None and isinstance(stored, (int, str)):
        exact = numbers.fractions(Numbers(pl.Series([stored]), scale))[0]
        return "null" if exact is None else decimals.decimal_text(exact)
    return shown(stored)
