"""Many values of one field at once: the quick way for what is plainly right, value by value for the rest.

The quick way never decides that a value is wrong. It looks at the types of all values and lets polars test their
form; wherever there is doubt the values go through `values.check`, which tells what is wrong with which.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

import polars as pl

from protoc_runtime.declared import Type
from protoc_runtime.reading import numbers, values
from protoc_runtime.reading.numbers import Numbers
from protoc_runtime.tables import EXACT_INT, dtype

Report = Callable[[int, values.Bad], None]  # the index of a value, and what is wrong with it
Part = Numbers | pl.Series
Given = Any  # a sequence of values, or a column of texts
WRITTEN_AS_TEXT = ("text", "enum", "time", "date", "digest")

_TIME = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-5][0-9](\.[0-9]{1,6})?Z$"
_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_DIGEST = r"^(?:[0-9a-f]{40}|(?:sha256:)?[0-9a-f]{64})$"
_INVISIBLE = f"[{values.INVISIBLE}]"


def encode(given: Sequence[Any], kind: Type, optional: bool, key: bool, report: Report) -> Part:
    """The values as a column; a value that does not fit is reported and left undefined."""
    quick = _quick(given, kind, optional, key)
    if quick is not None:
        return quick
    made: list[Any] = []
    for index, value in enumerate(given):
        try:
            made.append(values.check(value, kind, optional=optional, key=key))
        except values.Bad as bad:
            report(index, bad)
            made.append(None)
    return from_checked(made, kind)


def from_checked(made: Sequence[Any], kind: Type) -> Part:
    """A column from what `values.check` gives."""
    if kind.kind in ("number", "quantity"):
        return numbers.from_fractions(made)
    item = kind.item
    if item is not None and item.kind in ("number", "quantity"):
        flat = numbers.from_fractions(list(chain.from_iterable(row for row in made if row is not None)))
        return Numbers(regrouped(flat.series, [None if row is None else len(row) for row in made]), flat.scale)
    return pl.Series(made, dtype=dtype(kind))


def joined(parts: Sequence[Part], kind: Type) -> tuple[pl.Series, int | None]:
    """The chunks of one column as one, with the scale of a column of numbers."""
    if not has_scale(kind):
        return pl.concat([p for p in parts if isinstance(p, pl.Series)]) if parts else _empty(kind), None
    scaled = [part for part in parts if isinstance(part, Numbers)]
    if kind.item is None:
        whole = numbers.joined(scaled)
        return whole.series, whole.scale
    lengths = list(chain.from_iterable(part.series.list.len().to_list() for part in scaled))
    flat = numbers.joined([Numbers(items(part.series), part.scale) for part in scaled])
    return regrouped(flat.series, lengths), flat.scale


def has_scale(kind: Type) -> bool:
    """Whether a column of this type holds numbers under a scale."""
    return (kind.item or kind).kind in ("number", "quantity")


def items(series: pl.Series) -> pl.Series:
    """The items of all lists, in order."""
    kept = series.filter(series.list.len() > 0)
    return kept.explode() if kept.len() else pl.Series([], dtype=series.dtype.inner)  # type: ignore[attr-defined]


def regrouped(flat: pl.Series, lengths: Sequence[int | None]) -> pl.Series:
    """The flat items as lists of these lengths; None gives an undefined list."""
    owners = pl.Series([i for i, n in enumerate(lengths) for _ in range(n or 0)], dtype=pl.UInt32)
    grouped = pl.DataFrame({"owner": owners, "item": flat}).group_by("owner", maintain_order=True).agg("item")
    rows = pl.DataFrame({"owner": pl.Series(range(len(lengths)), dtype=pl.UInt32), "length": lengths})
    whole = rows.join(grouped, on="owner", how="left", maintain_order="left")
    empty = pl.lit(pl.Series([[]], dtype=pl.List(flat.dtype)))
    made = whole.select(pl.when(pl.col("length") == 0).then(empty).otherwise(pl.col("item")))
    return made.to_series()


def _empty(kind: Type) -> pl.Series:
    return pl.Series([], dtype=dtype(kind, rational=False))


def from_texts(given: pl.Series, kind: Type, optional: bool, key: bool) -> Part | None:
    """A column of texts as the type that is written as text; None where one needs a closer look."""
    if kind.kind not in WRITTEN_AS_TEXT or (given.null_count() and not optional):
        return None
    return _tried(given, kind, key, {str})


def _quick(given: Sequence[Any], kind: Type, optional: bool, key: bool) -> Part | None:
    types = set(map(type, given))
    if type(None) in types:
        if not optional:
            return None
        types.discard(type(None))
    route = _QUICK.get(kind.kind)
    if route is None or not types <= route[0]:
        return None
    return _tried(given, kind, key, types)


def _tried(given: Given, kind: Type, key: bool, types: set[type]) -> Part | None:
    try:
        made: Part | None = _QUICK[kind.kind][1](given, kind, types)
    except (pl.exceptions.PolarsError, TypeError, ValueError, OverflowError):
        return None
    if key and kind.kind == "text" and isinstance(made, pl.Series) and made.str.contains(_INVISIBLE).any():
        return None
    return made


def _bools(given: Given, kind: Type, types: set[type]) -> Any:
    return pl.Series(given, dtype=pl.Boolean)


def _ints(given: Given, kind: Type, types: set[type]) -> Any:
    made = pl.Series(given, dtype=pl.Int64)
    low, high = made.min(), made.max()
    return made if low is None or (low >= -EXACT_INT and high <= EXACT_INT) else None  # type: ignore[operator]


def _numbers(given: Given, kind: Type, types: set[type]) -> Any:
    made = numbers.from_literals(given) if bytes in types else Numbers(pl.Series(given, dtype=pl.Int64), 0)
    return None if made is None else numbers.in_base_unit(made, kind)


def _texts(given: Given, kind: Type, types: set[type]) -> Any:
    return pl.Series(given, dtype=pl.String)


def _enums(given: Given, kind: Type, types: set[type]) -> Any:
    return pl.Series(given, dtype=pl.String).cast(dtype(kind), strict=True)


def _times(given: Given, kind: Type, types: set[type]) -> Any:
    made = pl.Series(given, dtype=pl.String)
    if not made.str.contains(_TIME).all():
        return None
    return made.str.to_datetime("%Y-%m-%dT%H:%M:%S%.fZ", time_unit="us", time_zone="UTC", strict=True)


def _dates(given: Given, kind: Type, types: set[type]) -> Any:
    made = pl.Series(given, dtype=pl.String)
    return made.str.to_date("%Y-%m-%d", strict=True) if made.str.contains(_DATE).all() else None


def _digests(given: Given, kind: Type, types: set[type]) -> Any:
    made = pl.Series(given, dtype=pl.String)
    return made.str.strip_prefix("sha256:") if made.str.contains(_DIGEST).all() else None


_QUICK: dict[str, tuple[set[type], Callable[[Given, Type, set[type]], Any]]] = {
    "bool": ({bool}, _bools),
    "int": ({int}, _ints),
    "number": ({int, bytes}, _numbers),
    "quantity": ({int, bytes}, _numbers),
    "text": ({str}, _texts),
    "enum": ({str}, _enums),
    "time": ({str}, _times),
    "date": ({str}, _dates),
    "digest": ({str}, _digests),
}
