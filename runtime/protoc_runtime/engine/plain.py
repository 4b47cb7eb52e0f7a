"""Vectors of texts, digests, enum members, times, dates and tagged values of any kind."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date, datetime
from fractions import Fraction
from typing import Any

import polars as pl

from protoc_runtime.engine.context import ONE, Context
from protoc_runtime.engine.faults import EngineError
from protoc_runtime.engine.vec import Nothing, Vec, lifts, nulls, select, where


class Plain(Vec):
    """`kind`: text (digests too), enum, time, date, or any (tagged texts as in `protoc_runtime.tables`)."""

    def __init__(self, context: Context, data: pl.Series, kind: str) -> None:
        self.context = context
        self.data = data
        self.kind = kind

    def take(self, index: pl.Series, context: Context) -> Plain:
        return Plain(context, self.data.gather(index), self.kind)

    def values(self) -> list[Any]:
        stored = self.data.to_list()
        return stored if self.kind != "any" else [None if text is None else untag(text) for text in stored]

    def defined(self) -> pl.Series:
        return self.data.is_not_null()

    def masked(self, keep: pl.Series) -> Plain:
        return Plain(self.context, where(keep, self.data), self.kind)

    def keys(self, other: Vec) -> tuple[pl.Series, pl.Series]:
        if not isinstance(other, Plain) or (self.kind == "any") != (other.kind == "any"):
            return tagged(self), tagged(other)
        if self.data.dtype == other.data.dtype:
            return self.data, other.data
        member = _as_member(self.data, other)
        if member is not None:
            return self.data, member
        return self.data.cast(pl.String), other.data.cast(pl.String)

    def ordered(self, other: Vec) -> tuple[pl.Series, pl.Series]:
        if not isinstance(other, Plain) or self.data.dtype != other.data.dtype:
            raise EngineError("values of different kinds have no order")
        return self.data, other.data

    def merged(self, others: Sequence[Vec], pick: pl.Series) -> Plain:
        series = [_texts_of(vec) for vec in (self, *others)]
        if any(one.dtype != series[0].dtype for one in series if one.dtype != pl.Null):
            series = [one.cast(pl.String) for one in series]
        series = [one if one.dtype != pl.Null else nulls(len(one), series[0].dtype) for one in series]
        return Plain(self.context, select(series, pick), self.kind)


def _as_member(data: pl.Series, other: Plain) -> pl.Series | None:
    """A single text as a member of an enum column, so that the column need not become texts."""
    if not isinstance(data.dtype, pl.Enum) or other.context.size != 1 or other.data.dtype != pl.String:
        return None
    return other.data.cast(data.dtype) if other.data[0] in data.dtype.categories.to_list() else None


def _texts_of(vec: Vec) -> pl.Series:
    if isinstance(vec, Plain):
        return vec.data
    if isinstance(vec, Nothing):
        return nulls(vec.context.size, pl.Null())
    raise EngineError(f"{type(vec).__name__} where a text is expected")


def tag(value: object) -> str:
    """A Python value as a tagged text, equal exactly where the values are."""
    if isinstance(value, bool):
        return f"b:{'true' if value else 'false'}"
    if isinstance(value, (int, Fraction)):
        return f"n:{value.numerator}/{value.denominator}"
    if isinstance(value, (datetime, date)):
        return f"t:{value.isoformat()}"
    return f"t:{value}"


def untag(text: str) -> Any:
    """The Python value of a tagged text; JSON values as their canonical text."""
    kind, _, rest = text.partition(":")
    if kind == "n":
        number = Fraction(rest)
        return number.numerator if number.denominator == 1 else number
    if kind == "b":
        return rest == "true"
    return json.loads(rest) if kind == "j" and rest == "null" else rest


def tagged(vec: Vec) -> pl.Series:
    """Any vector as tagged texts."""
    if isinstance(vec, Plain) and vec.kind == "any":
        return vec.data
    return pl.Series([None if value is None else tag(value) for value in vec.values()], dtype=pl.String)


@lifts(str)
def _text(value: str) -> Plain:
    return Plain(ONE, pl.Series([value], dtype=pl.String), "text")


@lifts(datetime)
def _time(value: datetime) -> Plain:
    return Plain(ONE, pl.Series([value], dtype=pl.Datetime("us", "UTC")), "time")


@lifts(date)
def _date(value: date) -> Plain:
    return Plain(ONE, pl.Series([value], dtype=pl.Date), "date")
