"""Sheets as rules declare them: which rows are judged, and what may be seen of each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from protoc_runtime.record import record

Formula = Callable[..., Any]


@record
class SheetRule:
    """A judgement: the table whose rows are judged, the columns that name a row, and what is seen of it by label."""

    name: str
    table: str
    key: tuple[str, ...]
    sees: dict[str, Formula]


class Sheets:
    """The sheets that a generated `rules.py` declares."""

    def __init__(self) -> None:
        self.sheets: dict[str, SheetRule] = {}

    def sheet(
        self, name: str, table: str, *, key: tuple[str, ...], says: str = "", cites: tuple[str, ...] = ()
    ) -> None:
        """Declare a judgement; `says` and `cites` are for people."""
        self.sheets[name] = SheetRule(name, table, key, {})

    def sees(self, sheet: str, label: str) -> Callable[[Formula], Formula]:
        """Declare what is seen of a row; a label with a dot is a column of a list of rows: `messages.role`."""

        def add(formula: Formula) -> Formula:
            """Keep the formula under its label on the sheet, and give it back unchanged."""
            self.sheets[sheet].sees[label] = formula
            return formula

        return add
