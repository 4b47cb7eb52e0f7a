"""Gives whole columns values under which what is not counted (a mean, a median, a sum) comes out as it was chosen.

The rows are there, with the counts that are wanted; only columns that no count reads are changed, all cells of one
alike, or one row's otherwise than the others'. It finds what is simple, and the compiled protocols decide the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from fractions import Fraction

from protoc_compiler import core
from protoc_compiler.proof.archetype import inputs
from protoc_compiler.proof.interpret import Row, Rows
from protoc_compiler.proof.pools import Pools

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

Place = tuple[str, str]  # a table and one of its columns
_WORK = 300_000  # rows that are looked at


def filled(
    rows: Rows, pools: Pools, tables: Collection[core.Table], free: Collection[Place], reached: Callable[[], int],
    best: int, enough: int,
) -> int:  # fmt: skip
    """Change columns that are `free` as long as more is `reached`; how much is, at most `enough`."""
    last = rows.looked + _WORK
    for table in tables:
        own = rows.tables.get(table.name, [])
        for column in inputs(table) if own else ():
            if (table.name, column.name) not in free or column.name in (*table.key, *table.order):
                continue
            before = [row.cells.get(column.name) for row in own]
            for first, others in _ways(pools.of(column.type, column.optional)):
                if best >= enough or rows.looked > last:
                    return best
                _put(own, column.name, [first, *[others] * (len(own) - 1)])
                score = reached()
                if score > best:
                    best, before = score, [row.cells.get(column.name) for row in own]
                else:
                    _put(own, column.name, before)
    return best


def _ways(values: list[Any]) -> Iterator[tuple[Any, Any]]:
    """The cell of the first row, and that of all others."""
    for value in values:
        yield value, value
    if Fraction(0) in values:
        for value in values:
            yield value, Fraction(0)


def _put(rows: list[Row], column: str, cells: list[Any]) -> None:
    for row, cell in zip(rows, cells, strict=True):
        row.cells[column] = cell
