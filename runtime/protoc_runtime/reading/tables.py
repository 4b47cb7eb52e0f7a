"""From files and Python rows to `TableData`: read, check keys, lead references to rows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from protoc_runtime.catalogue import rows as kinds
from protoc_runtime.declared import Declared, Table
from protoc_runtime.diagnostics import Findings, Span
from protoc_runtime.reading import csv_, jsonl, parquet, references
from protoc_runtime.reading.builder import Builder, Raw
from protoc_runtime.reading.faults import Faults, Place
from protoc_runtime.reading.files import Source, sources
from protoc_runtime.reading.layout import Field, Layout, layout
from protoc_runtime.reading.unpivot import long
from protoc_runtime.record import replace
from protoc_runtime.tables import TableData, dtype


def read_tables(
    declared: Declared,
    folder: Path,
    *,
    only: Collection[str] | None = None,
    splits: Collection[str] | None = None,
    findings: Findings,
) -> dict[str, TableData]:
    """The tables of a data folder, with the listed ones and the nested ones (`parent.column`).

    `only` names the input tables to read, whatever their source; without it all tables `from: file` are read. Tables
    that they refer to are read too. `splits` narrows tables that are stored in one file per split. All faults go to
    `findings`; a value with a fault is undefined in the result, which is of use only if `findings.failed` is False.
    """
    raw = listed_tables(declared)
    for table in _wanted(declared, only):
        faults = Faults(table.name, findings)
        made = _read_table(declared, table, Path(folder), splits, faults)
        if made is not None:
            raw[table.name] = made
    return finished(raw)


def read_rows(
    declared: Declared,
    table: str,
    rows: Iterable[Mapping[str, Any]],
    *,
    findings: Findings,
    tables: Mapping[str, TableData] | None = None,
    name: str = "",
) -> dict[str, TableData]:
    """The rows of one table that exist as Python values (a subject's answers), and its nested tables.

    A float counts as the decimal of its shortest form. `tables` are those that were read before and that the rows may
    refer to. `name` stands for the file in messages, where the line is the number of the row.
    """
    plan = layout(declared, declared.table(table))
    faults = Faults(table, findings)
    faults.places.append(Place(name or f"rows of {table}", 0))
    builder = Builder(plan, faults)
    builder.add_rows([parquet.plain_value(dict(row)) if isinstance(row, Mapping) else row for row in rows])
    raw = listed_tables(declared)
    raw |= {
        known: _as_raw(declared, data, tables or {}, findings)
        for known, data in (tables or {}).items()
        if known not in raw and "." not in known
    }
    own = _checked(long(builder.finish()))
    made = finished(raw | {table: own}, only={table})
    return {key: data for key, data in made.items() if key == table or key.startswith(f"{table}.")}


def listed_tables(declared: Declared) -> dict[str, Raw]:
    """The tables whose rows stand in the spec."""
    return {table.name: _listed(declared, table) for table in declared.tables if table.kind == "listed"}


def finished(raw: Mapping[str, Raw], only: Collection[str] | None = None) -> dict[str, TableData]:
    """The tables with their references as row indexes; the faults of each are closed."""
    made: dict[str, TableData] = {}
    for name, table in raw.items():
        if only is None or name in only:
            made |= _finished(table, raw)
            table.faults.close()
    return made


def _finished(table: Raw, raw: Mapping[str, Raw]) -> dict[str, TableData]:
    frame, scales = table.frame, dict(table.scales)
    for field in table.layout.fields:
        if field.target and field.name in frame.columns:
            frame = frame.with_columns(references.resolved(table, field, raw))
            scales.pop(field.name, None)
    made = {table.layout.table.name: TableData(table.layout.table.name, frame, scales)}
    for _, inner in table.nested:
        made |= _finished(inner, raw)
    return made


def _wanted(declared: Declared, only: Collection[str] | None) -> list[Table]:
    inputs = {table.name: table for table in declared.tables if table.kind == "input"}
    names = [name for name in inputs if (inputs[name].source == "file" if only is None else name in only)]
    for name in names:  # grows while it is walked
        plan = layout(declared, inputs[name])
        names += [t for t in dict.fromkeys(_targets(plan)) if t in inputs and t not in names]
    return [table for name, table in inputs.items() if name in names]


def _targets(plan: Layout) -> list[str]:
    inner = [target for field in plan.fields if field.nested is not None for target in _targets(field.nested)]
    return [field.target for field in plan.fields if field.target] + inner


def _read_table(
    declared: Declared, table: Table, folder: Path, splits: Collection[str] | None, faults: Faults
) -> Raw | None:
    plan = layout(declared, table)
    found = sources(declared, table, folder, splits, faults)
    if not found:
        faults.close()
        return None
    builder = Builder(plan, faults)
    filled: list[str] = []
    for source in found:
        before = builder.height
        faults.places.append(Place(str(source.path), before))
        _read_file(source, builder)
        filled += [source.split] * (builder.height - before)
        _needs_rows(declared, table, source, builder.height - before, faults)
    raw = builder.finish()
    if plan.split:
        raw = with_split(declared, raw, filled)
    return _checked(long(raw))


def _read_file(source: Source, builder: Builder) -> None:
    name = str(source.path)
    if source.path.suffix == ".parquet":
        parquet.read(source.path, name, builder)
        return
    try:
        with source.path.open("rb") as file:
            (jsonl if source.path.suffix == ".jsonl" else csv_).read(file, name, builder)
    except OSError as error:
        builder.faults.add(kinds.UNREADABLE, Span(name, 1, 1, 1, 2), found=error.strerror)


def _needs_rows(declared: Declared, table: Table, source: Source, height: int, faults: Faults) -> None:
    unit = declared.subject.unit if declared.subject is not None else ""
    if height == 0 and table.name == unit and not faults.count:
        name = str(source.path)
        faults.add(kinds.NO_ROWS, Span(name, 1, 1, 1, 2), table=table.name)


def _checked(raw: Raw) -> Raw:
    """The same rows, after the checks that need all rows of the table."""
    table = raw.layout.table
    references.check_keys(raw)
    if table.record and raw.frame.height > 1:
        raw.faults.add(kinds.SEVERAL_RECORDS, raw.faults.span(1), table=table.name, found=raw.frame.height)
    return raw


def with_split(declared: Declared, raw: Raw, filled: list[str]) -> Raw:
    """The rows with the split that their file's name tells."""
    name = raw.layout.split
    column = raw.layout.table.column(name)
    assert column is not None
    kind = declared.base(column.type)
    series = pl.Series(name, filled, dtype=pl.String).cast(dtype(kind))
    fields = (*raw.layout.fields, Field(name, name, kind, False, name in raw.layout.table.key, column.type.table))
    return replace(raw, frame=raw.frame.with_columns(series), layout=replace(raw.layout, fields=fields))


def _as_raw(declared: Declared, data: TableData, tables: Mapping[str, TableData], findings: Findings) -> Raw:
    """A finished table with its key as it is written, so that further rows can refer to it."""
    table = declared.table(data.name)
    made = Raw(layout(declared, table), data.frame, dict(data.scales), Faults(data.name, findings))
    for name in table.key:
        column = table.column(name)
        if column is None or column.type.kind != "row" or column.type.table not in tables:
            continue
        target = _as_raw(declared, tables[column.type.table], tables, findings)
        written = target.layout.table.key[0]
        keys = target.frame[written].gather(data.frame[name]).alias(name)
        made = replace(made, frame=made.frame.with_columns(keys))
        if written in target.scales:
            made.scales[name] = target.scales[written]
    return made


def _listed(declared: Declared, table: Table) -> Raw:
    """The rows of a listed table; the compiler has checked them, so a fault here is a failure of the tool."""
    findings = Findings()
    plan = layout(declared, table)
    # quantities of a spec are in the base unit already
    plan = replace(plan, fields=tuple(replace(f, type=replace(f.type, shown="")) for f in plan.fields))
    faults = Faults(table.name, findings)
    faults.places.append(Place("protocol.json", 0))
    builder = Builder(plan, faults)
    names = [column.name for column in table.stored]
    cells = {name: [_cell(row[at]) for row in table.listed] for at, name in enumerate(names)}
    builder.add({field.stored: cells[field.stored] for field in plan.fields}, len(table.listed))
    if findings.failed:
        raise ValueError("; ".join(item.message for item in findings))
    return builder.finish()


def _cell(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
