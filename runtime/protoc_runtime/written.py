"""Rows as a file of a bundle holds them: what the protocol's own readers read back to the same tables.

Quantities are in the declared unit, `any` values are plain JSON again, a wide table is wide again. Each table is one
file, `rows/TABLE.jsonl`; a table that was stored per split has its split as a column.
"""

from __future__ import annotations

import json
from collections.abc import Container, Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from protoc_runtime.catalogue import rows as kinds
from protoc_runtime.declared import Declared, Table, Type
from protoc_runtime.diagnostics import Findings, Refused
from protoc_runtime.record import replace
from protoc_runtime.tables import UNIT_FACTORS, UNIT_PLACES, TableData

Rows = list[dict[str, Any]]


def plain(declared: Declared) -> Declared:
    """The same protocol with every input table in one file of its own name, as a bundle has them."""
    tables = [replace(table, file="", source="file") if table.kind == "input" else table for table in declared.tables]
    return replace(declared, tables=tuple(tables))


def written_rows(declared: Declared, name: str, tables: Mapping[str, TableData]) -> Rows:
    """The rows of one input table."""
    from protoc_runtime.reading import to_rows

    table = declared.table(name)
    rows = to_rows(declared, tables[name], tables)
    if not all(_as_held(declared, column.type) for column in table.columns) or declared.nested(name):
        rows = [_row(declared, table, row) for row in rows]
    return rows if table.unpivot is None else _widened(table, rows)


def row_files(declared: Declared, tables: Mapping[str, TableData], without: Container[str] = ()) -> dict[str, bytes]:
    """`rows/TABLE.jsonl` for every input table that is there, but for those that are written already."""
    from protoc_runtime.reading import write_jsonl

    there = (table.name for table in declared.tables if table.kind == "input" and table.name in tables)
    names = [name for name in there if name not in without]
    return {f"rows/{name}.jsonl": write_jsonl(written_rows(declared, name, tables)) for name in names}


def read_bundle(declared: Declared, folder: Path) -> dict[str, TableData]:
    """The tables of a bundle's `rows` folder, without a case where the run was stopped before it read one. Raises
    `Refused` (E10xx)."""
    from protoc_runtime.reading import read_tables

    findings = Findings()
    there = [t.name for t in declared.tables if t.kind == "input" and (folder / f"{t.name}.jsonl").exists()]
    tables = read_tables(plain(declared), folder, only=there, findings=findings)
    faults = [fault for fault in findings.sorted() if fault.kind is not kinds.NO_ROWS]
    if any(fault.severity == "error" for fault in faults):
        raise Refused(faults)
    return tables


def _as_held(declared: Declared, kind: Type) -> bool:
    """Whether a value of this type is written as it is held."""
    if kind.kind == "row":
        table = declared.table(kind.table)
        column = table.column(table.key[0])
        return len(table.key) == 1 and (column is None or _as_held(declared, column.type))
    return kind.kind not in ("set", "list", "quantity", "any")


def _row(declared: Declared, table: Table, row: Mapping[str, Any]) -> dict[str, Any]:
    nested = dict(declared.nested(table.name))
    made = {}
    for name, value in row.items():
        if name in nested:
            made[name] = [_row(declared, nested[name], inner) for inner in value]
        else:
            column = table.column(name)
            made[name] = value if column is None else _value(declared, column.type, value)
    return made


def _value(declared: Declared, kind: Type, value: Any) -> Any:
    if value is None:
        return None
    if kind.kind in ("set", "list") and kind.item is not None:
        return [_value(declared, kind.item, item) for item in value]
    if kind.kind == "row":
        return _reference(declared, kind, value)
    if kind.kind == "quantity":
        return value * 10 ** UNIT_PLACES.get(kind.shown, 0) / Fraction(UNIT_FACTORS.get(kind.shown, 1))
    return _untagged(value) if kind.kind == "any" else value


def _reference(declared: Declared, kind: Type, value: Any) -> Any:
    table = declared.table(kind.table)
    parts = value if len(table.key) > 1 else [value]
    made = []
    for name, part in zip(table.key, parts, strict=True):
        column = table.column(name)
        made.append(part if column is None else _value(declared, column.type, part))
    return made if len(table.key) > 1 else made[0]


def _untagged(value: str) -> Any:
    tag, _, text = value.partition(":")
    if tag == "n":
        return Fraction(text)
    if tag == "b":
        return text == "true"
    return json.loads(text, parse_float=Decimal) if tag == "j" else text


def _widened(table: Table, rows: Rows) -> Rows:
    """One row for as many long rows as there are labels; these stand together, in the order of the labels."""
    plan = table.unpivot
    assert plan is not None
    patterns = dict(plan.columns)
    made = []
    for start in range(0, len(rows), len(plan.labels)):
        wide: dict[str, Any] = {}
        for (_, text), row in zip(plan.labels, rows[start : start + len(plan.labels)], strict=True):
            for name, value in row.items():
                if name in patterns:
                    wide[patterns[name].replace(f"<{plan.label}>", text)] = value
                elif name != plan.label:
                    wide[name] = value
        made.append(wide)
    return made
