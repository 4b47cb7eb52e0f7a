"""Sheets: the rows of a judgement as a rater is asked about them, with what may be seen of each and no more."""

from __future__ import annotations

from typing import Any, Protocol

from protoc_runtime.engine.declare import Rules, TableRule
from protoc_runtime.engine.rows import Rows, RowVec
from protoc_runtime.engine.vec import Vec, lift


class Judged(Protocol):
    """What is asked of the study whose rows are judged."""

    rules: Rules

    def declared(self, table: str) -> TableRule:
        """What is declared of a table."""

    def table(self, root: str) -> Rows:
        """All rows of a root table as they are stored."""

    def rows(self, table: str) -> Rows:
        """The rows of a table in its order."""

    def label(self, root: str, row: int) -> str:
        """The name of a row."""


def sheet_rows(study: Judged, name: str) -> list[dict[str, Any]]:
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


def _written(study: Judged, vec: Vec) -> list[Any]:
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
