"""How many rows a protocol expects of its tables, as far as that can be read off its formulas without any row.

Two forms are understood: `count(T) == 96`, and `count(T where COLUMN == VALUE and ...) == 24` over columns of the
table itself. Everything else that a protocol expects says nothing about how many rows to make up.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from protoc_runtime.record import record


@record
class Wanted:
    """So many rows with these cells (column and value, as rows write it; a bool as it is)."""

    cells: tuple[tuple[str, Any], ...]
    rows: int


def expected_rows(protocol: Path) -> dict[str, tuple[Wanted, ...]]:
    """By table what `protocol.json` expects of its numbers of rows, in the order of the spec."""
    document = json.loads(protocol.read_bytes())["protocol"]
    made = {}
    for table in document["tables"]:
        found = [_wanted(table["name"], item["expr"]) for item in table["expect"]]
        made[table["name"]] = tuple(wanted for wanted in found if wanted is not None)
    return made


def _wanted(table: str, formula: Mapping[str, Any]) -> Wanted | None:
    if formula["node"] != "Compare" or formula["ops"] != ["=="]:
        return None
    counted, number = formula["operands"]
    if counted["node"] != "Aggregate" or counted["function"] != "count" or number["node"] != "Const":
        return None
    rows = counted["rows"]
    plain = not (rows["base"] or rows["match"]) and rows["scope"] == "all"
    if rows["table"] != table or not plain or number["type"]["kind"] != "int":
        return None
    cells = [_cell(part, rows["var"]) for condition in rows["where"] for part in _parts(condition)]
    known = tuple(cell for cell in cells if cell is not None)
    return Wanted(known, int(number["value"])) if len(known) == len(cells) else None


def _parts(condition: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    if condition["node"] == "And":
        for part in condition["parts"]:
            yield from _parts(part)
    else:
        yield condition


def _cell(condition: Mapping[str, Any], row: str) -> tuple[str, Any] | None:
    """The column and its value, where a condition says that a column is a value."""
    if condition["node"] == "Column" and condition["type"]["kind"] == "bool":
        name = _column(condition, row)
        return (name, True) if name else None
    if condition["node"] != "Compare" or condition["ops"] != ["=="]:
        return None
    column, value = condition["operands"]
    name = _column(column, row)
    if not name or value["node"] != "Const" or value["type"]["kind"] not in ("enum", "text", "bool"):
        return None
    return name, value["value"]


def _column(formula: Mapping[str, Any], row: str) -> str:
    """The column of the row itself that a formula reads; that of a reference where the key of its row is read."""
    if formula["node"] != "Column":
        return ""
    inner = formula["row"]
    if inner["node"] == "RowVar":
        return str(formula["name"]) if inner["var"] == row else ""
    return _column(inner, row) if inner["node"] == "Column" and inner["type"]["kind"] == "row" else ""
