"""The tables of a run, brought together: sealed inputs, the subject's rows, what the tool observed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from protoc_runtime.declared import Declared, Table
from protoc_runtime.diagnostics import Diagnostic, Findings, Refused
from protoc_runtime.narrowing import only_splits
from protoc_runtime.record import replace
from protoc_runtime.tables import TableData

Tables = dict[str, TableData]


def read_inputs(declared: Declared, folder: Path, splits: tuple[str, ...]) -> tuple[Tables, list[Diagnostic]]:
    """The input tables of the protocol's folder (with those of a recorded subject), narrowed to these splits, and
    warnings. Files of other splits are not opened, except for a recorded subject, whose rows are in one file for all.
    Raises `Refused` (E10xx)."""
    from protoc_runtime.reading import read_tables

    findings = Findings()
    recorded = declared.subject is not None and declared.subject.kind == "recorded"
    opened = None if recorded or not splits else splits
    tables = read_tables(located(declared), folder, splits=opened, findings=findings)
    _stop_if_failed(findings)
    if splits and set(splits) != {split.name for split in declared.splits}:
        tables = only_splits(declared, tables, splits)
    return tables, findings.sorted()


def located(declared: Declared) -> Declared:
    """The same protocol with the tables of a recorded subject as files of its folder."""
    subject = declared.subject
    if subject is None or subject.kind != "recorded":
        return declared
    tables = [
        replace(table, source="file", file=f"{subject.target.rstrip('/')}/{table.file or table.name}")
        if table.name in subject.gives
        else table
        for table in declared.tables
    ]
    return replace(declared, tables=tuple(tables))


def with_rows(
    declared: Declared, tables: Tables, rows: Mapping[str, Iterable[Any]], findings: Findings | None = None
) -> Tables:
    """`tables` with rows that exist as Python values, tables that others refer to first. Raises `Refused` (E10xx)."""
    from protoc_runtime.reading import read_rows

    found = Findings() if findings is None else findings
    made = dict(tables)
    for table in in_order(declared, rows):
        made |= read_rows(declared, table.name, rows[table.name], findings=found, tables=made)
    _stop_if_failed(found)
    return made


def in_order(declared: Declared, names: Iterable[str]) -> list[Table]:
    """Tables behind those that they refer to; a circle is cut where it is met."""
    waiting = {table.name: table for table in declared.tables if table.name in set(names)}
    made: list[Table] = []

    def take(table: Table) -> None:
        """Put a table behind all tables that its references lead to."""
        del waiting[table.name]
        for column in table.stored:
            kind = column.type.item or column.type
            if kind.kind == "row" and kind.table in waiting:
                take(waiting[kind.table])
        made.append(table)

    while waiting:
        take(next(iter(waiting.values())))
    return made


def _stop_if_failed(findings: Findings) -> None:
    if findings.failed:
        raise Refused(findings.sorted())
