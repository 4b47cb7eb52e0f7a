"""Vectors of lists and sets, of reals, and of results with fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from protoc_runtime.engine.context import Context
from protoc_runtime.engine.faults import EngineError
from protoc_runtime.engine.plain import tag
from protoc_runtime.engine.vec import Nothing, Vec, gather


class Objects(Vec):
    """Python values: tuples (lists and sets) or `Real`s. `refers`: the table whose rows a list holds, if it does."""

    def __init__(self, context: Context, data: list[Any], refers: str = "") -> None:
        self.context = context
        self.data = data
        self.refers = refers

    def take(self, index: pl.Series, context: Context) -> Objects:
        """The values at these positions, None at a null."""
        return Objects(context, gather(self.data, index), self.refers)

    def values(self) -> list[Any]:
        """The Python values themselves: tuples or reals, None where undefined."""
        return self.data

    def defined(self) -> pl.Series:
        """A Boolean series without nulls: where there is a value."""
        return pl.Series([value is not None for value in self.data], dtype=pl.Boolean)

    def masked(self, keep: pl.Series) -> Objects:
        """The same values, None where `keep` is not true."""
        kept = [v if flag else None for v, flag in zip(self.data, keep, strict=True)]
        return Objects(self.context, kept, self.refers)

    def keys(self, other: Vec) -> tuple[pl.Series, pl.Series]:
        """Both as texts, which are equal exactly where the values are."""
        return _texts(self), _texts(other)

    def ordered(self, other: Vec) -> tuple[pl.Series, pl.Series]:
        """Raises EngineError: the compiler lets nobody compare lists or reals by order here."""
        raise EngineError("lists and reals have no order here")

    def merged(self, others: Sequence[Vec], pick: pl.Series) -> Objects:
        """Row by row the picked value; the labels of rows are those of this vector."""
        lists = [vec.values() for vec in (self, *others)]
        made = [None if at is None else lists[at][row] for row, at in enumerate(pick)]
        return Objects(self.context, made, self.refers)


class Structs(Vec):
    """Results with fields, such as `wilson(...).low`."""

    def __init__(self, context: Context, fields: Mapping[str, Vec]) -> None:
        self.context = context
        self.fields = dict(fields)

    def __getitem__(self, name: str) -> Vec:
        return self.fields[name]

    def take(self, index: pl.Series, context: Context) -> Structs:
        """Every field at these positions, undefined at a null."""
        return Structs(context, {name: vec.take(index, context) for name, vec in self.fields.items()})

    def values(self) -> list[Any]:
        """A dict per tuple, by field; a field that is undefined is None in it."""
        columns = {name: vec.values() for name, vec in self.fields.items()}
        return [{name: values[row] for name, values in columns.items()} for row in range(self.context.size)]

    def defined(self) -> pl.Series:
        """A Boolean series without nulls: where at least one field has a value."""
        flags = [vec.defined() for vec in self.fields.values()]
        made = flags[0]
        for flag in flags[1:]:
            made = made | flag
        return made

    def masked(self, keep: pl.Series) -> Structs:
        """Every field, undefined where `keep` is not true."""
        return Structs(self.context, {name: vec.masked(keep) for name, vec in self.fields.items()})

    def keys(self, other: Vec) -> tuple[pl.Series, pl.Series]:
        """Raises EngineError: a result with fields is never compared as a whole."""
        raise EngineError("results with fields are not compared; a field of them is")

    def merged(self, others: Sequence[Vec], pick: pl.Series) -> Structs:
        """Field by field the picked values; what is no struct counts as undefined throughout."""
        structs = [vec if isinstance(vec, Structs) else None for vec in others]
        made = {}
        for name, vec in self.fields.items():
            parts = [Nothing(vec.context) if one is None else one[name] for one in structs]
            made[name] = vec.merged(parts, pick)
        return Structs(self.context, made)


def _texts(vec: Vec) -> pl.Series:
    return pl.Series([None if value is None else _text(value) for value in vec.values()], dtype=pl.String)


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        return "[" + ",".join(f"{len(text)}:{text}" for text in map(tag, value)) + "]"
    return repr(value) if not isinstance(value, str) else tag(value)
