"""Sheets: the rows of a judgement as a rater is asked about them, with what may be seen of each and no more."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from protoc_runtime.engine.rows import RowVec
from protoc_runtime.engine.vec import Vec, lift
from protoc_runtime.record import record

if TYPE_CHECKING:
    from protoc_runtime.engine.study import BaseStudy

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


def sheet_rows(study: BaseStudy, name: str) -> list[dict[str, Any]]:
    """One `{"key": {column: value}, "sees": {label: value}}` per judged row, in the order of the judged table.

    A reference is given by the key of its row. Raises KeyError where there is no judgement of that name.
    """
    sheet = study.rules.sheets[name]
    rows = study.rows(sheet.table)
    whole = study.table(rows.root)
    key = {column: _written(study, rows[column]) for column in sheet.key}
    seen = {
        label: _written(study, lift(formula(study)).to(whole).take(rows.row.data, rows))
        for label, formula in sheet.sees.items()
    }
    return [
        {"key": _at(key, at), "sees": _together({label: values[at] for label, values in seen.items()})}
        for at in range(rows.size)
    ]


def _written(study: BaseStudy, vec: Vec) -> list[Any]:
    """The values as rows write them: for a reference the key of its row."""
    while isinstance(vec, RowVec):
        keys = study.declared(vec.root).key
        if len(keys) > 1:
            return [None if row is None else study.label(vec.root, row) for row in vec.values()]
        vec = vec[keys[0]]
    return vec.values()


def _at(columns: dict[str, list[Any]], at: int) -> dict[str, Any]:
    return {name: values[at] for name, values in columns.items()}


def _together(values: dict[str, Any]) -> dict[str, Any]:
    """The columns of a list of rows as one list of maps."""
    made: dict[str, Any] = {}
    for label, value in values.items():
        name, _, part = label.partition(".")
        if not part:
            made[name] = value
            continue
        listed = made.setdefault(name, [{} for _ in value or ()])
        for row, item in zip(listed, value or (), strict=True):
            row[part] = item
    return made
