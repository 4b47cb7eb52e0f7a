"""Which columns hold what is recorded while people judge: when a judgement was saved, when a row was first shown."""

from __future__ import annotations

from collections.abc import Iterable

from protoc_runtime.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal

SAVED, FIRST, SHOWN = "_saved_at", "first_", "_shown_at"


@record
class Fact:
    """A column of times: when `judgement` was `saved` (locked), or when a row of it was first `shown`."""

    column: str
    judgement: str
    what: Literal["saved", "shown"]


def fact(column: str) -> Fact | None:
    """What a column of this name holds, or None."""
    if column.endswith(SAVED) and column != SAVED:
        return Fact(column, column.removesuffix(SAVED), "saved")
    name = column.removeprefix(FIRST).removesuffix(SHOWN)
    return Fact(column, name, "shown") if column == f"{FIRST}{name}{SHOWN}" and name else None


def facts(columns: Iterable[str]) -> tuple[Fact, ...]:
    """The facts among columns."""
    return tuple(found for found in map(fact, columns) if found is not None)


def tables(declared: Any) -> tuple[Any, ...]:
    """The tables `from: adjudication` that no judgement fills, of a `core.Protocol` or a `Declared`."""
    filled = {judgement.fills for judgement in declared.judgements}
    found = (table for table in declared.tables if table.kind == "input" and table.source == "adjudication")
    return tuple(table for table in found if table.name not in filled)
