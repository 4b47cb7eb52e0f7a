"""Rows out: as lines for a bundle, as Python values for people."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction
from json.encoder import encode_basestring
from pathlib import Path
from typing import Any

from protoc_runtime.declared import Declared
from protoc_runtime.reading.decimals import decimal_text
from protoc_runtime.reading.layout import own_columns
from protoc_runtime.tables import RATIONAL, TableData


def to_rows(declared: Declared, data: TableData, tables: Mapping[str, TableData]) -> list[dict[str, Any]]:
    """The rows as they would be written: references as keys, numbers as Fraction in the base unit, times as datetime,
    nested rows inside. `any` values stay tagged texts."""
    columns = columns_of(declared, data, tables)
    names = list(columns)
    return [dict(zip(names, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def write_jsonl(rows: Iterable[Mapping[str, Any]]) -> bytes:
    """One JSON object a line, keys as given, numbers as they are: a Decimal keeps its digits, a Fraction is written
    as a decimal, a float in its shortest form. NaN, infinities and Fractions that are no decimals raise ValueError."""
    return "".join(_lines(rows)).encode("utf-8")


def _lines(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """By the C encoder of `json` until a row holds what only we can write: the bytes are the same."""
    plain = True
    for row in rows:
        if plain:
            try:
                yield _plain(dict(row)) + "\n"
                continue
            except TypeError:
                plain = False
        yield json_text(dict(row)) + "\n"


def raw_rows(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a JSON Lines file without any check, numbers other than integers as Decimal with all digits."""
    with path.open(encoding="utf-8-sig", newline="\n") as file:
        for line in file:
            yield json.loads(line, parse_float=Decimal)


def columns_of(
    declared: Declared, data: TableData, tables: Mapping[str, TableData], only: str = ""
) -> dict[str, list[Any]]:
    """The columns as lists, nested rows among them, or only one column; a table may refer to itself, so the key that a
    reference shows is read alone."""
    table = declared.table(data.name)
    made: dict[str, list[Any]] = {}
    for column in own_columns(table):
        if column.name not in data.frame.columns or only not in ("", column.name):
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
    for name, _ in () if only else declared.nested(data.name):
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
    key = declared.table(data.name).key[0]
    return columns_of(declared, data, tables, key)[key]


def _each(cell: Any, function: Any) -> Any:
    if cell is None:
        return None
    return [function(item) for item in cell] if isinstance(cell, list) else function(cell)


def _number(stored: int | str, scale: int) -> Fraction:
    return Fraction(stored) if scale == RATIONAL else Fraction(int(stored), 10**scale)


def json_text(value: Any) -> str:
    """A value as JSON text: exact decimals as they are, keys in their order, other kinds as `json.dumps` has them."""
    writer = _WRITERS.get(type(value))
    if writer is None:
        writer = next((made for kind, made in _WRITERS.items() if isinstance(value, kind)), json.dumps)
    return writer(value)


def _object(value: Mapping[str, Any]) -> str:
    return "{" + ",".join([f"{_text(str(name))}:{json_text(item)}" for name, item in value.items()]) + "}"


def _array(value: Iterable[Any]) -> str:
    return "[" + ",".join(map(json_text, value)) + "]"


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


_plain = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
_text = encode_basestring
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
