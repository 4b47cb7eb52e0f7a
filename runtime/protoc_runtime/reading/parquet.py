"""Parquet: whole columns at once. A float is the exact decimal of its shortest form; NaN and infinities are faults.

Types are compared first, once for the file; only columns whose values need a closer look go value by value.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl

from protoc_runtime.catalogue import rows as kinds
from protoc_runtime.diagnostics import Span
from protoc_runtime.reading import columns, numbers
from protoc_runtime.reading.builder import Builder
from protoc_runtime.reading.layout import Field
from protoc_runtime.reading.numbers import Numbers
from protoc_runtime.reading.values import MISSING, NotFinite, expected
from protoc_runtime.tables import EXACT_INT, dtype

_TEXTS = (pl.String, pl.Categorical, pl.Enum)
MOST_ROWS = 200_000_000  # a file of a few kilobytes can claim billions of equal rows
_SHORT = 10**15  # below it a decimal that gives the float is its shortest form
_PLACES = 12


def scan(path: Path) -> pl.LazyFrame:
    """The file as a lazy frame: nothing is read but its schema."""
    return pl.scan_parquet(path, glob=False, hive_partitioning=False)


def read(path: Path, name: str, builder: Builder) -> None:
    """Add all rows of a file to the table; the "line" of a fault is the number of its row."""
    span = Span(name, 1, 1, 1, 2)
    try:
        height = scan(path).select(pl.len()).collect().item()
        if height > MOST_ROWS:
            builder.faults.add(kinds.TOO_MANY_ROWS, span, found=height, expected=MOST_ROWS)
            return
        frame = scan(path).collect()
    except (pl.exceptions.PolarsError, OSError) as error:
        builder.faults.add(kinds.UNREADABLE, span, found=str(error).splitlines()[0])
        return
    if fits(frame, name, builder):
        take(frame, builder)


def fits(frame: pl.DataFrame, name: str, builder: Builder) -> bool:
    """Whether a frame has the columns of the table, in types that it can hold; tells what is wrong with them."""
    return builder.header_fits(frame.columns, Span(name, 1, 1, 1, 2)) and _types_fit(frame, name, builder)


def take(frame: pl.DataFrame, builder: Builder) -> None:
    """Add the rows of a frame that fits."""
    given: dict[str, Any] = {field.stored: frame[field.stored] for field in builder.layout.fields}
    parts = {field.stored: _part(given[field.stored], field, given, builder) for field in builder.plain}
    for field in builder.layout.fields:
        if field.nested is not None:
            given[field.stored] = plain_values(given[field.stored])
    builder.add_parts(parts, given, frame.height)


def _types_fit(frame: pl.DataFrame, name: str, builder: Builder) -> bool:
    fits = True
    for field in builder.layout.fields:
        found = frame.schema[field.stored]
        wanted = "list" if field.nested is not None else field.type.kind
        if found != pl.Null and not _TAKEN[wanted](found):
            fits = False
            span = Span(name, 1, 1, 1, 2)
            words = expected(field.type)
            builder.faults.add(kinds.PARQUET_TYPE, span, field=field.stored, found=str(found), expected=words)
    return fits


def _part(series: pl.Series, field: Field, given: dict[str, Any], builder: Builder) -> columns.Part:
    quick = None if series.null_count() and not field.optional else _quick(series, field)
    if quick is not None:
        return quick
    report = builder.reporter(field, given, builder.height)
    return columns.encode(plain_values(series), field.type, field.optional, field.key, report)


def _quick(series: pl.Series, field: Field) -> columns.Part | None:
    kind = field.type
    try:
        if isinstance(series.dtype, _TEXTS):
            return columns.from_texts(series.cast(pl.String), kind, field.optional, field.key)
        if kind.kind in ("number", "quantity"):
            made = _numbers(series)
            return None if made is None else numbers.in_base_unit(made, kind)
        if kind.kind in ("bool", "int", "date", "time"):
            return _same(series, field)
    except pl.exceptions.PolarsError:
        return None
    return None


def _same(series: pl.Series, field: Field) -> pl.Series | None:
    wanted = dtype(field.type)
    made = series.cast(wanted, strict=True)
    if field.type.kind == "int":
        low, high = made.min(), made.max()
        return made if low is None or (low >= -EXACT_INT and high <= EXACT_INT) else None  # type: ignore[operator]
    exact = isinstance(series.dtype, pl.Datetime) and series.dtype.time_unit != "ns"
    return made if field.type.kind != "time" or exact else None


def _numbers(series: pl.Series) -> Numbers | None:
    if series.dtype == pl.Null:
        return Numbers(series.cast(pl.Int64), 0)
    if series.dtype.is_integer():
        return Numbers(series.cast(pl.Int64, strict=True), 0)
    if isinstance(series.dtype, pl.Decimal):
        return Numbers(series.to_physical().cast(pl.Int64, strict=True), series.dtype.scale)
    if series.dtype != pl.Float64:
        return None
    found = shortest(series)
    return found if found is not None else numbers.from_plain(series.cast(pl.String))


def shortest(series: pl.Series) -> Numbers | None:
    """Floats as decimals where each has at most 15 digits and 12 places; None otherwise.

    Two decimals of at most 15 digits never give the same float, so one that gives the float is its shortest form.
    """
    largest = series.abs().max()
    if largest is None:
        return Numbers(series.cast(pl.Int64), 0)
    if not series.is_finite().all():
        return None
    for places in range(_PLACES + 1):
        power = 10**places
        if largest * power >= _SHORT:
            return None
        scaled = (series * power).round()
        # divided by a column: polars turns a division by one number into a product, which rounds twice
        if (scaled / pl.repeat(float(power), series.len(), eager=True) == series).all():
            return Numbers(scaled.cast(pl.Int64), places)
    return None


def plain_values(series: pl.Series) -> list[Any]:
    """The values as the JSON reader would give them."""
    if series.dtype == pl.Float32:
        series = series.cast(pl.String)
        return [None if text is None else _float32(text) for text in series]
    if isinstance(series.dtype, pl.Datetime) and series.dtype.time_unit == "ns":
        whole = (series.dt.epoch("ns") % 1000 == 0).to_list()
        return [v if w is not False else f"{v} and nanoseconds" for v, w in zip(series, whole, strict=True)]
    return [plain_value(value) for value in series.to_list()]


def plain_value(value: Any) -> Any:
    """A Python value as the JSON reader would give it."""
    if value is None or value is MISSING or isinstance(value, (bool, int, str, datetime, date)):
        return value
    if isinstance(value, float):
        return repr(value).encode("ascii") if math.isfinite(value) else NotFinite(str(value))
    if isinstance(value, Decimal):
        return _decimal(value)
    if isinstance(value, dict):
        return tuple((name, plain_value(item)) for name, item in value.items())
    if isinstance(value, (list, tuple, set, frozenset)):
        return [
            plain_value(item) for item in (sorted(value, key=repr) if isinstance(value, (set, frozenset)) else value)
        ]
    return value


def _decimal(value: Decimal) -> Any:
    if not value.is_finite():
        return NotFinite(str(value))
    text = str(value)
    return int(text) if text.lstrip("-").isdecimal() else text.encode("ascii")


def _float32(text: str) -> Any:
    value = float(text)
    if not math.isfinite(value):
        return NotFinite(str(value))
    return text.encode("ascii")


def _is_text(found: pl.DataType) -> bool:
    return isinstance(found, _TEXTS)


def _is_number(found: pl.DataType) -> bool:
    return found.is_integer() or found.is_float() or isinstance(found, pl.Decimal)


_TAKEN: dict[str, Callable[[pl.DataType], bool]] = {
    "bool": lambda found: found == pl.Boolean,
    "int": lambda found: found.is_integer(),
    "number": _is_number,
    "quantity": _is_number,
    "text": _is_text,
    "enum": _is_text,
    "digest": _is_text,
    "time": lambda found: _is_text(found) or (isinstance(found, pl.Datetime) and found.time_zone is not None),
    "date": lambda found: _is_text(found) or found == pl.Date,
    "any": lambda found: found == pl.Boolean or _is_text(found) or _is_number(found) or found.is_nested(),
    "set": lambda found: isinstance(found, (pl.List, pl.Array)),
    "list": lambda found: isinstance(found, (pl.List, pl.Array)),
}
