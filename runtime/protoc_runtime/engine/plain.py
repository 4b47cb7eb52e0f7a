"""Vectors of texts, digests, enum members, times, dates and tagged values of any kind."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from fractions import Fraction
from functools import cached_property
from typing import Any

import polars as pl

from protoc_runtime.engine.context import ONE, Context, positions
from protoc_runtime.engine.faults import EngineError
from protoc_runtime.engine.series import defined, taken
from protoc_runtime.engine.vec import Nothing, Vec, lifts, nulls, select, where

_AT_ONCE = 1024  # pieces of texts that are cut and counted: few enough to be counted where they were just copied to


class Texts:
    """The texts of a column in UTF-8, made once however many rows refer to them, and what was found there."""

    def __init__(self, data: pl.Series) -> None:
        self._data = data
        self._found: dict[tuple[int, bytes], tuple[int, int]] = {}  # (row, piece): how often, and at which byte first

    @cached_property
    def _bytes(self) -> pl.Series:
        return self._data.cast(pl.String).cast(pl.Binary)  # the members of an enum are texts, too

    def search(self, rows: Iterable[int | None], pieces: Iterable[bytes | None]) -> list[tuple[int, int] | None]:
        """Of each pair how often the piece occurs in the text, overlaps counted, and at which byte first (-1 where it
        does not); None where one of the two is undefined. In UTF-8 a text begins within another only where a code
        point begins.

        A text is read once for each piece, whoever asks: documents are long, and quotes are asked for twice.
        """
        texts, found, made = self._bytes, self._found, list[tuple[int, int] | None]()
        last, text = -1, None  # one text at a time, which the processor then has at hand for all that is looked for
        for row, piece in zip(rows, pieces, strict=True):
            if row is None or piece is None:
                made.append(None)
                continue
            key = (row, piece)
            known = found.get(key)
            if known is None:
                if row != last:
                    last, text = row, texts[row]
                if text is not None:
                    known = found[key] = _places(text, piece)
            made.append(known)
        return made

    def code_points(self, rows: pl.Series, places: pl.Series) -> pl.Series:
        """How many code points stand before a byte of a row, each; null where the byte is. Each text is counted
        through once, from one place to the next."""
        asked = pl.DataFrame({"row": rows, "place": places})
        ends = asked.drop_nulls().unique().sort("row", "place")
        again = pl.col("row") == pl.col("row").shift(1)
        ends = ends.with_columns(start=pl.when(again).then(pl.col("place").shift(1)).otherwise(0))
        points = [self._between(some) for some in ends.iter_slices(_AT_ONCE)] or [nulls(0, pl.Int64())]
        counted = ends.with_columns(points=pl.concat(points)).with_columns(pl.col("points").cum_sum().over("row"))
        return asked.join(counted, on=["row", "place"], how="left", maintain_order="left")["points"]

    def _between(self, ends: pl.DataFrame) -> pl.Series:
        """How many code points each row has from a start to a place, both in bytes."""
        cut = pl.col("text").bin.slice(pl.col("start"), pl.col("place") - pl.col("start")).cast(pl.String)
        texts = ends.with_columns(text=self._bytes.gather(ends["row"]))
        return texts.select(cut.str.len_chars().cast(pl.Int64)).to_series()


def _places(text: bytes, piece: bytes) -> tuple[int, int]:
    first = at = text.find(piece) if piece else -1
    count = 0
    while at >= 0:
        count, at = count + 1, text.find(piece, at + 1)
    return count, first


class Plain(Vec):
    """`kind`: text (digests too), enum, time, date, or any (tagged texts as in `protoc_runtime.tables`)."""

    def __init__(
        self, context: Context, data: pl.Series, kind: str, origin: tuple[Texts, pl.Series] | None = None
    ) -> None:
        self.context = context
        self.data = data
        self.kind = kind
        self._origin = origin  # the column that the rows were taken from, and which row each is

    def take(self, index: pl.Series, context: Context) -> Plain:
        """The values at these positions, undefined at a null; texts remember the column and rows that they are of."""
        origin = None
        if self.kind == "text":
            texts, rows = self.origin()
            origin = (texts, taken(rows, index))
        return Plain(context, taken(self.data, index), self.kind, origin)

    def origin(self) -> tuple[Texts, pl.Series]:
        """The column from which these texts were taken, and the row of each; null where there is none."""
        if self._origin is None:
            self._origin = (Texts(self.data), positions(len(self.data)))
        return self._origin

    def values(self) -> list[Any]:
        """Python values: str, datetime, date, or for the kind `any` what its tag says; None where undefined."""
        stored = self.data.to_list()
        return stored if self.kind != "any" else [None if text is None else untag(text) for text in stored]

    def utf8(self) -> list[bytes | None]:
        """The texts in UTF-8."""
        data = self.data if self.kind != "any" else pl.Series(self.values(), dtype=pl.String)
        return data.cast(pl.String).cast(pl.Binary).to_list()

    def defined(self) -> pl.Series:
        """A Boolean series without nulls: where there is a value."""
        return defined(self.data)

    def masked(self, keep: pl.Series) -> Plain:
        """The same values, undefined where `keep` is not true."""
        return Plain(self.context, where(keep, self.data), self.kind)

    def keys(self, other: Vec) -> tuple[pl.Series, pl.Series]:
        """Both as series of one type that are equal where the values are; tagged where one of them is of the kind
        `any`."""
        if not isinstance(other, Plain) or (self.kind == "any") != (other.kind == "any"):
            return tagged(self), tagged(other)
        if self.data.dtype == other.data.dtype:
            return self.data, other.data
        member = _as_member(self.data, other)
        if member is not None:
            return self.data, member
        return self.data.cast(pl.String), other.data.cast(pl.String)

    def ordered(self, other: Vec) -> tuple[pl.Series, pl.Series]:
        """Both as they are stored; raises EngineError for values of different kinds, which have no order."""
        if not isinstance(other, Plain) or self.data.dtype != other.data.dtype:
            raise EngineError("values of different kinds have no order")
        return self.data, other.data

    def merged(self, others: Sequence[Vec], pick: pl.Series) -> Plain:
        """Row by row the picked value, as texts where the parts are of different types."""
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


def holds_json(data: pl.Series) -> bool:
    """Whether one of these tagged texts is that of a list or object."""
    return bool((data.str.starts_with("j:") & (data != "j:null")).any())


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
