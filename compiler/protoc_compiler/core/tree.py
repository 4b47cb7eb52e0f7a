"""Walks over formulas: everything inside one, and one about other rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from protoc_compiler.core.formulas import Expr, Match, Rows, RowVar
from protoc_runtime.record import replace


@lru_cache(maxsize=1 << 12)  # each of the analyses asks for the same formulas
def parts(value: Expr) -> tuple[Expr, ...]:
    """An expression and everything inside it, rows included."""
    return tuple(_parts(value))


def opened(value: Expr) -> tuple[str, ...]:
    """The variables of the rows that an expression opens itself, in order of appearance."""
    return tuple(dict.fromkeys(_opened(value)))


def about(value: Any, row: Callable[[RowVar], Expr], variable: Callable[[str], str] = str) -> Any:
    """The expression with each row variable replaced by `row`, and those that it opens called `variable`."""
    if isinstance(value, RowVar):
        return row(value)
    if isinstance(value, tuple):
        return tuple(about(part, row, variable) for part in value)
    if not isinstance(value, (Expr, Rows, Match)):
        return value
    changes = {name: about(part, row, variable) for name, part in value.__dict__.items() if name != "type"}
    if isinstance(value, Rows):
        changes["var"] = variable(value.var)
    return replace(value, **changes)


def _parts(value: Expr) -> Iterator[Expr]:
    yield value
    for part in value.__dict__.values():
        yield from _inside(part)


def _inside(part: object) -> Iterator[Expr]:
    if isinstance(part, Expr):
        yield from _parts(part)
    elif isinstance(part, (Rows, Match)):
        for inner in part.__dict__.values():
            yield from _inside(inner)
    elif isinstance(part, tuple):
        for item in part:
            yield from _inside(item)


def _opened(part: object) -> Iterator[str]:
    if isinstance(part, Rows):
        yield part.var
    if isinstance(part, (Expr, Rows, Match)):
        for inner in part.__dict__.values():
            yield from _opened(inner)
    elif isinstance(part, tuple):
        for inner in part:
            yield from _opened(inner)
