"""Stored columns as vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import polars as pl

from protoc_runtime.engine.context import INDEX
from protoc_runtime.engine.numbers import Numbers, numbers
from protoc_runtime.engine.objects import Objects
from protoc_runtime.engine.plain import Plain, untag
from protoc_runtime.engine.rows import Rows, RowVec
from protoc_runtime.engine.vec import Bools, Vec
from protoc_runtime.tables import RATIONAL, number

PLAIN = ("text", "digest", "enum", "time", "date", "any")


def stored(rows: Rows, series: pl.Series, scale: int, kind: str) -> Vec:
    """A physical column (see `protoc_runtime.tables`) of the declared kind, over all rows of its table.

    A kind is written as in generated code: `int`, `ref cases`, `set of text`.
    """
    if kind == "bool":
        return Bools(rows, series)
    if kind == "int":
        return Numbers(rows, series, whole=True)
    if kind == "number":
        if scale == RATIONAL:
            return Numbers(rows, [number(value, scale) for value in series])
        return Numbers(rows, series, 10**scale)
    if kind in PLAIN:
        return Plain(rows, series, "text" if kind == "digest" else kind)
    form, _, rest = kind.partition(" ")
    if form == "ref":
        return RowVec(rows, series.cast(INDEX), rest, rows.source)
    read = _reader(rest.removeprefix("of "), scale)
    return Objects(rows, [None if cell is None else tuple(map(read, cell)) for cell in series.to_list()])


def _reader(kind: str, scale: int) -> Callable[[Any], Any]:
    if kind == "number":
        return lambda value: number(value, scale)
    return untag if kind == "any" else lambda value: value


def listed(rows: Rows, values: Sequence[Any], kind: str, members: Sequence[str] = ()) -> Vec:
    """A column of a table whose rows stand in the spec; references are row numbers, words sort as `members` stand.

    Without members they are a key, whose values are the members.
    """
    if kind == "bool":
        return Bools(rows, pl.Series(values, dtype=pl.Boolean))
    if kind in ("int", "number"):
        return numbers(rows, values, whole=kind == "int")
    if kind.startswith("ref "):
        return RowVec(rows, pl.Series(values, dtype=INDEX), kind[4:], rows.source)
    if kind.startswith(("set ", "list ")):
        return Objects(rows, list(values))
    if kind == "enum":
        return Plain(rows, pl.Series(values, dtype=pl.Enum(members or values)), kind)
    dtype = {"time": pl.Datetime("us", "UTC"), "date": pl.Date()}.get(kind, pl.String())
    return Plain(rows, pl.Series(values, dtype=dtype), "text" if kind == "digest" else kind)


def worded(vec: Vec, members: Sequence[str]) -> Vec:
    """Derived words as a stored column has them, so that they sort as `members` stand and not as texts."""
    return Plain(vec.context, vec.data.cast(pl.Enum(members)), "enum") if isinstance(vec, Plain) else vec
