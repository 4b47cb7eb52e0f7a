"""Walks over formulas: everything inside one, and one about other rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from operator import is_

from protoc_compiler.core.formulas import Expr, Match, Rows, RowVar
from protoc_runtime.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_WORDS = ("Expr", "Rows", "Match")  # by which the annotation of a field tells that it holds nodes


def nodes(value: Expr | Rows | Match) -> list[Any]:
    """The nodes right below this one, in the order of their fields: `Expr`, `Rows` and `Match`."""
    found = []
    kind: Any = type(value)
    for name in holding(kind):
        part = getattr(value, name)
        if type(part) is not tuple:
            if part is not None:
                found.append(part)
            continue
        for item in part:
            if type(item) is tuple:  # the lines of a choice, the options of a call
                found += [inner for inner in item if isinstance(inner, Expr)]
            else:
                found.append(item)
    return found


@cache
def holding(kind: Any) -> tuple[str, ...]:
    """The fields of a kind of node that can hold nodes: a walk that looked at each name and type would take twice as
    long."""
    declared: dict[str, str] = {}
    for base in reversed(kind.__mro__[:-1]):
        declared.update(base.__annotations__)
    return tuple([name for name in kind.__record_fields__ if any(word in declared[name] for word in _WORDS)])


@lru_cache(maxsize=1 << 12)  # each of the analyses asks for the same formulas
def parts(value: Expr) -> tuple[Expr, ...]:
    """An expression and everything inside it, rows included."""
    return tuple([node for node in all_nodes(value) if isinstance(node, Expr)])


@lru_cache(maxsize=1 << 12)
def rows_in(value: Expr | Rows) -> tuple[Rows, ...]:
    """Every set of rows inside a formula, or inside of rows themselves."""
    return tuple([node for node in all_nodes(value) if type(node) is Rows])


def all_nodes(value: Expr | Rows | Match) -> list[Any]:
    """A node and everything inside it, from left to right."""
    found: list[Any] = []
    _collect(value, found)
    return found


def _collect(value: Expr | Rows | Match, found: list[Any]) -> None:
    found.append(value)
    for node in nodes(value):
        _collect(node, found)


@lru_cache(maxsize=1 << 12)
def opened(value: Expr | Rows | Match) -> tuple[str, ...]:
    """The variables of the rows that an expression opens itself, in order of appearance."""
    found = [value.var] if isinstance(value, Rows) else []
    for node in nodes(value):
        found += opened(node)
    return tuple(dict.fromkeys(found)) if found else ()


def about(value: Any, row: Callable[[RowVar], Expr], variable: Callable[[str], str] = str) -> Any:
    """The expression with each row variable replaced by `row`, and those that it opens called `variable`.

    What stays as it is, is not copied: it keeps the hash that it has.
    """
    if isinstance(value, RowVar):
        return row(value)
    if isinstance(value, tuple):
        made = [about(part, row, variable) for part in value]
        return value if all(map(is_, made, value)) else tuple(made)
    if not isinstance(value, _NODES):
        return value
    changes: dict[str, object] = {}
    kind: Any = type(value)
    for name in holding(kind):
        part = getattr(value, name)
        changed = about(part, row, variable)
        if changed is not part:
            changes[name] = changed
    if isinstance(value, Rows) and variable(value.var) != value.var:
        changes["var"] = variable(value.var)
    return replace(value, **changes) if changes else value


_NODES = (Expr, Rows, Match)
