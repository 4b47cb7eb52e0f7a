"""From rows to one value per tuple of the context in which the rows were opened."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import polars as pl

from protoc_runtime.engine.context import positions
from protoc_runtime.engine.faults import EngineError
from protoc_runtime.engine.rows import Rows
from protoc_runtime.engine.vec import Vec

PLANNED = 20_000  # rows
V = TypeVar("V", bound=Vec)


def totals(rows: Rows, columns: dict[str, pl.Series], *totals: pl.Expr) -> pl.DataFrame:
    """The aggregate expressions per tuple of the parent; null for a tuple without rows (but not in a single parent)."""
    if rows.outer.size == 1:
        frame = pl.DataFrame({**columns, "at": positions(rows.size)})
        return frame.select(*totals)
    if rows.index is None:
        raise EngineError("rows without an index")
    frame = _grouped(pl.DataFrame({"outer": rows.index, **columns}), totals)
    every = pl.DataFrame({"outer": positions(rows.outer.size)})
    return every.join(frame, on="outer", how="left", maintain_order="left").drop("outer")


def _grouped(frame: pl.DataFrame, totals: Sequence[pl.Expr]) -> pl.DataFrame:
    """By `outer`: planned as a whole where there are many rows, at once where planning would take longer."""
    if frame.height < PLANNED:
        return frame.group_by("outer").agg(*totals)
    return frame.lazy().group_by("outer").agg(*totals).collect()


def unless_short(rows: Rows, vec: V) -> V:
    """The aggregate, undefined where there were fewer rows than the formula asks for."""
    return vec if rows.short is None else vec.masked(~rows.short)


def split(rows: Rows, *vecs: Vec) -> list[list[list[Any]]]:
    """Per tuple of the parent, per vector, the Python values in the order of the rows."""
    columns = [vec.to(rows).values() for vec in vecs]
    weights = rows.weights
    if weights is not None:
        columns = [_repeated(column, weights) for column in columns]
    if rows.outer.size == 1:
        return [columns]
    made: list[list[list[Any]]] = [[[] for _ in vecs] for _ in range(rows.outer.size)]
    index = _repeated(rows.index, weights) if weights is not None else rows.index
    for at, number in enumerate(index if index is not None else ()):
        for column, target in zip(columns, made[number], strict=True):
            target.append(column[at])
    return made


def per_parent(rows: Rows, vecs: Sequence[Vec], make: Callable[..., Any]) -> list[Any]:
    """`make` of the columns of each tuple's rows; undefined where a value is, or where rows are missing."""
    made = []
    for number, columns in enumerate(split(rows, *vecs)):
        short = rows.short is not None and rows.short[number]
        undefined = short or any(value is None for column in columns for value in column)
        made.append(None if undefined else make(*columns))
    return made


def _repeated(values: Any, weights: pl.Series) -> list[Any]:
    return [value for value, weight in zip(values, weights, strict=True) for _ in range(weight)]
