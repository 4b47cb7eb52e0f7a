"""Rows out: as lines for a bundle, as Python values for people, as a digest of their content.

The digest knows rows by what they say: the name of the file, the order of rows, of keys, line endings and the
spelling of a number (`0.50`, `0.5`) do not change it. Columns that tell the split are left out, so that a split is
recognised under another name.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from protoc_runtime.declared import Declared
from protoc_runtime.reading.decimals import decimal_text
from protoc_runtime.reading.layout import BUILT_IN
from protoc_runtime.tables import RATIONAL, TableData


def to_rows(declared: Declared, data: TableData, tables: Mapping[str, TableData]) -> list[dict[str, Any]]:
    """The rows as they would be written: references as keys, numbers as Fraction in the base unit, times as datetime,
    nested rows inside. `any` values stay tagged texts."""
    columns = _columns(declared, data, tables)
    names = list(columns)
    return [dict(zip(names, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def content_digest(
    declared: Declared,
    data: TableData,
    tables: Mapping[str, TableData],
    *,
    rows: Collection[int] | None = None,
) -> str:
    """`sha256:` over the sorted canonical JSON of all rows, or of those with these indexes."""
    table = declared.table(data.name)
    left_out = {column.name for column in table.columns if column.type.table == "splits"}
    columns = {name: cells for name, cells in _columns(declared, data, tables).items() if name not in left_out}
    names = sorted(columns)
    parts = [[f"{_text(name)}:{cell}" for cell in _cells(columns[name])] for name in names]
    every = ["{" + ",".join(row) + "}" for row in zip(*parts, strict=True)]
    chosen = every if rows is None else [every[index] for index in rows]
    hashed = hashlib.sha256()
    for line in sorted(chosen):
        hashed.update(line.encode("utf-8") + b"\n")
    return "sha256:" + hashed.hexdigest()


def write_jsonl(rows: Iterable[Mapping[str, Any]]) -> bytes:
    """One JSON object a line, keys as given, numbers as they are: a Decimal keeps its digits, a Fraction is written
    as a decimal, a float in its shortest form. NaN, infinities and Fractions that are no decimals raise ValueError."""
    return "".join(_json(dict(row)) + "\n" for row in rows).encode("utf-8")


def raw_rows(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a JSON Lines file without any check, numbers other than integers as Decimal with all digits."""
    with path.open(encoding="utf-8-sig", newline="\n") as file:
        for line in file:
            yield json.loads(line, parse_float=Decimal)


def _columns(declared: Declared, data: TableData, tables: Mapping[str, TableData]) -> dict[str, list[Any]]:
    table = declared.table(data.name)
    made: dict[str, list[Any]] = {}
    for column in table.stored:
        if column.name not in data.frame.columns or column.name in BUILT_IN:
            continue
        cells = data.frame[column.name].to_list()
        item = column.type.item or column.type
        if item.kind == "row" and item.table in tables:
            keys = _keys(declared, tables[item.table], tables)
            cells = [_each(cell, keys.__getitem__) for cell in cells]
        elif column.name in data.scales:
            scale = data.scales[column.name]
            cells = [_each(cell, lambda value, s=scale: _number(value, s)) for cell in cells]
        made[column.name] = cells
    for name, _ in declared.nested(data.name):
        inner = tables.get(f"{data.name}.{name}")
        if inner is not None:
            made[name] = _inside(declared, inner, tables, data.height)
    return made


def _inside(declared: Declared, inner: TableData, tables: Mapping[str, TableData], height: int) -> list[Any]:
    cells: list[Any] = [[] for _ in range(height)]
    for parent, row in zip(inner.frame["_parent"], to_rows(declared, inner, tables), strict=True):
        cells[parent].append(row)
    return cells


def _keys(declared: Declared, data: TableData, tables: Mapping[str, TableData]) -> list[Any]:
    return _columns(declared, data, tables)[declared.table(data.name).key[0]]


def _each(cell: Any, function: Any) -> Any:
    if cell is None:
        return None
    return [function(item) for item in cell] if isinstance(cell, list) else function(cell)


def _number(stored: int | str, scale: int) -> Fraction:
    return Fraction(stored) if scale == RATIONAL else Fraction(int(stored), 10**scale)


def _cells(values: list[Any]) -> Iterator[str]:
    """The values of one column in canonical JSON: keys sorted, a number that is no integer as a text of its value."""
    known: dict[Any, str] = {}  # most columns repeat their values
    for value in values:
        if isinstance(value, (list, dict)):
            yield _json(_plain(value))
            continue
        pair = (type(value), value)
        text = known.get(pair)
        if text is None:
            text = known[pair] = _json(_plain(value))
        yield text


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(value[name]) for name in sorted(value)}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return decimal_text(value) if isinstance(value, Fraction) else value


def _json(value: Any) -> str:
    writer = _WRITERS.get(type(value))
    if writer is None:
        writer = next((made for kind, made in _WRITERS.items() if isinstance(value, kind)), json.dumps)
    return writer(value)


def _object(value: Mapping[str, Any]) -> str:
    return "{" + ",".join([f"{_text(str(name))}:{_json(item)}" for name, item in value.items()]) + "}"


def _array(value: Iterable[Any]) -> str:
    return "[" + ",".join(map(_json, value)) + "]"


def _float(value: float) -> str:
    return json.dumps(value, allow_nan=False)


def _decimal(value: Decimal) -> str:
    if not value.is_finite():
        raise ValueError(f"{value} is not a number of JSON")
    return str(value)


def _fraction(value: Fraction) -> str:
    text = decimal_text(value)
    if "/" in text:
        raise ValueError(f"{text} has no finite decimal form")
    return text


def _moment(value: date) -> str:
    if isinstance(value, datetime):
        return f'"{value.astimezone(UTC).replace(tzinfo=None).isoformat()}Z"'
    return f'"{value.isoformat()}"'


_text = json.JSONEncoder(ensure_ascii=False).encode
_WRITERS: dict[type, Callable[[Any], str]] = {
    str: _text,
    bool: lambda value: "true" if value else "false",
    int: str,
    type(None): lambda value: "null",
    dict: _object,
    list: _array,
    tuple: _array,
    Decimal: _decimal,
    Fraction: _fraction,
    float: _float,
    datetime: _moment,
    date: _moment,
    Mapping: _object,
}
