"""Fewer rows: without some, and those that belong to them; and as few of a case as show the same.

Counting takes a table of which nothing says how many rows it has for one of many. Of these a case needs few.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from protoc_compiler.proof.interpret import Row, Tables
from protoc_compiler.proof.replay import NotReplayed
from protoc_runtime.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias, TypeVar

    from protoc_compiler.proof.trials.rowset import Own
    from protoc_compiler.proof.written import Json

    Results: TypeAlias = "dict[str, Any]"
    Some = TypeVar("Some", Row, Own)

_TRIES = 24  # sets of rows that are decided for one case
_RULES = ("gates", "blockers", "verdict", "released")


@record
class Decided:
    """Rows as they were written, and what both protocols say of them."""

    rows: Json
    old: Results
    new: Results


def rows_without(
    tables: Mapping[str, list[Some]], rows: Iterable[Some], owners: Callable[[Some], Iterable[Some]]
) -> dict[str, list[Some]]:
    """The tables that are smaller without these rows and those that belong to them. `owners`: what a row belongs to."""
    gone: set[int] = set()
    more = set(map(id, rows))
    while more:
        gone |= more
        more = {id(row) for own in tables.values() for row in own if any(id(one) in gone for one in owners(row))} - gone
    left = {name: [row for row in own if id(row) not in gone] for name, own in tables.items()}
    return {name: own for name, own in left.items() if len(own) < len(tables[name])}


def fewer(
    tables: Tables, many: Iterable[str], decided: Decided, decide: Callable[[Tables], Decided]
) -> tuple[Tables, Decided]:
    """The rows without those of which each rule says the same of the others, as far as that was tried, and what was
    decided of them. `many`: the tables of which rows may be left out."""
    left = _TRIES
    for name in many:
        size = len(tables[name]) // 2
        while size:
            for part in _parts(tables[name], size):
                if not left or len(part) == len(tables[name]):
                    break
                left -= 1
                trial = {**tables, **rows_without(tables, part, _owners)}
                found = _decided(decide, trial)
                if found is not None and _told(found) == _told(decided):
                    tables, decided = trial, found
            size = min(size, len(tables[name])) // 2
    return tables, decided


def _parts(rows: list[Row], size: int) -> list[list[Row]]:
    """So many rows each, the last ones first."""
    return [rows[max(0, end - size) : end] for end in range(len(rows), 0, -size)]


def _owners(row: Row) -> Iterator[Row]:
    return (value for value in row.cells.values() if isinstance(value, Row))


def _decided(decide: Callable[[Tables], Decided], tables: Tables) -> Decided | None:
    try:
        return decide(tables)
    except NotReplayed:
        return None


def _told(decided: Decided) -> list[Any]:
    return [found[name] for found in (decided.old, decided.new) for name in _RULES]


__all__ = ["Decided", "fewer", "rows_without"]
