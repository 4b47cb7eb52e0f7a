"""Vectors: one value per tuple of a context, undefined where null.

Operators align their operands: a value of an outer context is repeated for the tuples inside it, a Python constant
for all. Comparison and arithmetic are strict, `&`, `|` and `~` are Kleene. All vectors are immutable.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Self

import polars as pl

from protoc_runtime.engine.causes import Cause
from protoc_runtime.engine.context import ONE, Context, common
from protoc_runtime.engine.faults import EngineError
from protoc_runtime.engine.series import defined, filled, repeated, taken

_LIFTS: dict[type, Callable[[Any], Vec]] = {}


class Vec(ABC):
    """Base of all vectors. `conditions` are those of the first-match list that made it, where it is of the study."""

    context: Context
    conditions: tuple[Bools, ...] = ()

    @abstractmethod
    def take(self, index: pl.Series, context: Context) -> Self:
        """The values at these positions (undefined at a null), in another context of that size."""

    @abstractmethod
    def values(self) -> list[Any]:
        """Python values: bool, int, Fraction, str, datetime, date, tuple; None where undefined."""

    @abstractmethod
    def defined(self) -> pl.Series:
        """A Boolean series without nulls."""

    @abstractmethod
    def masked(self, keep: pl.Series) -> Self:
        """The same, undefined where `keep` is not true."""

    @abstractmethod
    def keys(self, other: Vec) -> tuple[pl.Series, pl.Series]:
        """This and another vector as series of one type, equal exactly where the values are. They need not align."""

    @abstractmethod
    def merged(self, others: Sequence[Vec], pick: pl.Series) -> Vec:
        """Row by row the value of the picked vector (0 this one, 1 the first other, ...); undefined at a null."""

    def ordered(self, other: Vec) -> tuple[pl.Series, pl.Series]:
        """Both as series that compare as the values do."""
        return self.keys(other)

    def to(self, context: Context) -> Self:
        """Repeated for the tuples of a context inside this one."""
        return self if context is self.context else self.take(context.index_in(self.context), context)

    def value(self, at: int = 0) -> Any:
        """One Python value."""
        return self.values()[at]

    def is_defined(self) -> Bools:
        """True where there is a value."""
        return Bools(self.context, self.defined())

    def is_undefined(self) -> Bools:
        """True where there is none."""
        return Bools(self.context, ~self.defined())

    def __eq__(self, other: object) -> Bools:  # type: ignore[override]
        return equal(self, lift(other))

    def __ne__(self, other: object) -> Bools:  # type: ignore[override]
        return ~equal(self, lift(other))

    def __lt__(self, other: object) -> Bools:
        return _compare(self, lift(other), pl.Series.__lt__)

    def __le__(self, other: object) -> Bools:
        return _compare(self, lift(other), pl.Series.__le__)

    def __gt__(self, other: object) -> Bools:
        return _compare(self, lift(other), pl.Series.__gt__)

    def __ge__(self, other: object) -> Bools:
        return _compare(self, lift(other), pl.Series.__ge__)

    __hash__ = object.__hash__


class Bools(Vec):
    """Truth values; `causes` are the quantifiers that they were made of, as far as rows can be named."""

    causes: tuple[Cause, ...] = ()

    def __init__(self, context: Context, data: pl.Series) -> None:
        self.context = context
        self.data = data

    def take(self, index: pl.Series, context: Context) -> Bools:
        """The truth values at these positions, undefined at a null."""
        return Bools(context, taken(self.data, index))

    def values(self) -> list[Any]:
        """bool, or None where undefined."""
        return self.data.to_list()

    def defined(self) -> pl.Series:
        """A Boolean series without nulls: where the value is true or false."""
        return defined(self.data)

    def masked(self, keep: pl.Series) -> Bools:
        """The same truth values, undefined where `keep` is not true."""
        return Bools(self.context, where(keep, self.data))

    def keys(self, other: Vec) -> tuple[pl.Series, pl.Series]:
        """Both as Boolean series; what has no truth value is null."""
        return self.data, other.data if isinstance(other, Bools) else nulls(other.context.size, pl.Boolean())

    def merged(self, others: Sequence[Vec], pick: pl.Series) -> Bools:
        """Row by row the picked truth value; raises EngineError for a vector that has other values."""
        return Bools(self.context, select([as_bools(vec).data for vec in (self, *others)], pick))

    def is_true(self) -> Bools:
        """True only where the value is true; never undefined."""
        return Bools(self.context, filled(self.data, False))

    def is_false(self) -> Bools:
        """True only where the value is false; never undefined."""
        return Bools(self.context, ~filled(self.data, True))

    def __and__(self, other: object) -> Bools:
        left, right = aligned(self, lift(other))
        return Bools(left.context, as_bools(left).data & as_bools(right).data).because(left, right)

    def __or__(self, other: object) -> Bools:
        left, right = aligned(self, lift(other))
        return Bools(left.context, as_bools(left).data | as_bools(right).data).because(left, right)

    def __invert__(self) -> Bools:
        made = Bools(self.context, ~self.data)
        made.causes = tuple(cause.turned() for cause in self.causes)
        return made

    def because(self, *parts: Vec) -> Bools:
        """This vector, new, with the causes of the parts that it was made of (of the same context)."""
        self.causes = tuple(cause for part in parts if isinstance(part, Bools) for cause in part.causes)
        return self


class Nothing(Vec):
    """Undefined throughout."""

    def __init__(self, context: Context) -> None:
        self.context = context

    def take(self, index: pl.Series, context: Context) -> Nothing:
        """Undefined throughout the other context, too."""
        return Nothing(context)

    def values(self) -> list[Any]:
        """None for each tuple."""
        return [None] * self.context.size

    def defined(self) -> pl.Series:
        """False for each tuple."""
        return repeated(False, self.context.size, pl.Boolean)

    def masked(self, keep: pl.Series) -> Nothing:
        """The same: there is nothing to mask."""
        return self

    def keys(self, other: Vec) -> tuple[pl.Series, pl.Series]:
        """Nulls on both sides, which equal nothing."""
        return nulls(self.context.size, pl.Boolean()), nulls(other.context.size, pl.Boolean())

    def merged(self, others: Sequence[Vec], pick: pl.Series) -> Vec:
        """The same; `merge` puts a vector that has values first, so all of the others are undefined as well."""
        return self

    def __getitem__(self, name: str) -> Nothing:
        return self

    def is_true(self) -> Bools:
        """False: there is no value."""
        return self.is_defined()

    def is_false(self) -> Bools:
        """False: there is no value."""
        return self.is_defined()

    def __and__(self, other: object) -> Bools:
        return as_bools(self) & other

    def __or__(self, other: object) -> Bools:
        return as_bools(self) | other

    def __invert__(self) -> Nothing:
        return self

    def __neg__(self) -> Nothing:
        return self

    def _strict(self, other: object) -> Nothing:
        return Nothing(common(self.context, lift(other).context))

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __pow__ = _strict


def merge(vecs: Sequence[Vec], pick: pl.Series) -> Vec:
    """Row by row the value of the picked vector. All are in the context of `pick`."""
    first = next((number for number, vec in enumerate(vecs) if not isinstance(vec, Nothing)), None)
    if first is None:
        return vecs[0]
    order = [first, *(number for number in range(len(vecs)) if number != first)]
    moved = pick.replace_strict(order, list(range(len(order))), default=None, return_dtype=pl.Int32)
    return vecs[first].merged([vecs[number] for number in order[1:]], moved)


def lifts(*kinds: type) -> Callable[[Callable[[Any], Vec]], Callable[[Any], Vec]]:
    """Declare how Python constants of these types become vectors."""

    def declare(make: Callable[[Any], Vec]) -> Callable[[Any], Vec]:
        """Register the function for each of the types, and give it back unchanged."""
        for kind in kinds:
            _LIFTS[kind] = make
        return make

    return declare


def lift(value: object) -> Vec:
    """A vector as it is; a Python constant as a vector of `ONE`."""
    if isinstance(value, Vec):
        return value
    for kind in type(value).__mro__:
        if kind in _LIFTS:
            return _LIFTS[kind](value)
    raise EngineError(f"no vector for a {type(value).__name__}")


@lifts(type(None))
def _nothing(value: None) -> Nothing:
    return Nothing(ONE)


@lifts(bool)
def _bool(value: bool) -> Bools:
    return Bools(ONE, pl.Series([value], dtype=pl.Boolean))


def as_bools(vec: Vec) -> Bools:
    """A truth vector; a vector that is undefined throughout counts as one."""
    if isinstance(vec, Bools):
        return vec
    if vec.defined().any():
        raise EngineError(f"{type(vec).__name__} where truth values are expected")
    return Bools(vec.context, nulls(vec.context.size, pl.Boolean()))


def aligned(*vecs: Vec) -> list[Vec]:
    """All of them in their innermost context."""
    context = common(*(vec.context for vec in vecs))
    return [vec.to(context) for vec in vecs]


def equal(left: Vec, right: Vec) -> Bools:
    """Row by row equality, strict."""
    return _compare(left, right, pl.Series.__eq__, equality=True)


def _compare(left: Vec, right: Vec, test: Callable[[pl.Series, Any], Any], *, equality: bool = False) -> Bools:
    context = common(left.context, right.context)
    if isinstance(left, Nothing) or isinstance(right, Nothing):
        return Bools(context, nulls(context.size, pl.Boolean()))
    one, two = left.keys(right) if equality else left.ordered(right)
    one = _spread(one, left, context)
    if right.context.size == 1 and two[0] is not None:
        return Bools(context, test(one, two[0]))
    return Bools(context, test(one, _spread(two, right, context)))


def _spread(series: pl.Series, vec: Vec, context: Context) -> pl.Series:
    return series if vec.context is context else taken(series, context.index_in(vec.context))


def nulls(size: int, dtype: pl.DataType) -> pl.Series:
    """So many undefined values."""
    return repeated(None, size, dtype)


def where(keep: pl.Series, data: pl.Series) -> pl.Series:
    """The series, null where `keep` is not true."""
    if keep.all(ignore_nulls=False):
        return data
    return data.zip_with(filled(keep, False), nulls(len(data), data.dtype))


def select(series: Sequence[pl.Series], pick: pl.Series) -> pl.Series:
    """Row by row from the picked series; null where nothing is picked."""
    made = nulls(len(pick), series[0].dtype)
    for number, candidate in enumerate(series):
        made = candidate.zip_with(filled(pick == number, False), made)
    return made


def gather(values: Sequence[Any], index: pl.Series) -> list[Any]:
    """List elements at positions; None at a null."""
    return [None if at is None else values[at] for at in index]
