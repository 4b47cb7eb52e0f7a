"""Walks over formulas: everything inside one, and one about other rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any

from protoc_compiler.core.formulas import Expr, Match, Rows, RowVar
from protoc_runtime.record import replace


@lru_cache(maxsize=1 << 12)  # each of the analyses asks for the same formulas
def parts(value: Expr) -> tuple[Expr, ...]:
    """An expression and everything inside it, rows included."""
    return tuple(_parts(value))


def rows_in(value: object) -> Iterator[Rows]:
    """Every set of rows inside a formula, or inside of rows themselves."""
    if isinstance(value, Rows):
        yield value
    if isinstance(value, (Expr, Rows, Match)):
        for part in value.__dict__.values():
            yield from rows_in(part)
    elif isinstance(value, tuple):
        for part in value:
            yield from rows_in(part)


@lru_cache(maxsize=1 << 12)
def opened(value: Expr | Rows | Match) -> tuple[str, ...]:
    """The variables of the rows that an expression opens itself, in order of appearance."""
    found = [value.var] if isinstance(value, Rows) else []
    for part in value.__dict__.values():
        if type(part) is tuple or isinstance(part, _NODES):
            found += _opened(part)
    return tuple(dict.fromkeys(found)) if found else ()


def about(value: Any, row: Callable[[RowVar], Expr], variable: Callable[[str], str] = str) -> Any:
    """The expression with each row variable replaced by `row`, and those that it opens called `variable`."""
    if isinstance(value, RowVar):
        return row(value)
    if isinstance(value, tuple):
        return tuple([about(part, row, variable) for part in value])
    if not isinstance(value, _NODES):
        return value
    changes = {
        name: about(part, row, variable)
        for name, part in value.__dict__.items()
        if type(part) is tuple or isinstance(part, _NODES)
    }
    if isinstance(value, Rows):
        changes["var"] = variable(value.var)
    return replace(value, **changes)


def _parts(value: Expr) -> Iterator[Expr]:
    yield value
    for part in value.__dict__.values():
        if type(part) is tuple or isinstance(part, _NODES):
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


def _opened(part: object) -> Iterable[str]:
    if isinstance(part, _NODES):
        return opened(part)
    return [name for inner in part for name in _opened(inner)] if isinstance(part, tuple) else ()


_NODES = (Expr, Rows, Match)
