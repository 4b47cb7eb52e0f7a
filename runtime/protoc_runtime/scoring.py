"""Scoring rows that exist already: the rules of a package over a folder of tables. No run, no claim, no registry."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from protoc_runtime.canonical import digest_file
from protoc_runtime.catalogue import run as kinds
from protoc_runtime.declared import Declared, Table
from protoc_runtime.diagnostics import Diagnostic, Findings, Refused
from protoc_runtime.evaluating import evaluate
from protoc_runtime.gathering import Tables, with_rows
from protoc_runtime.observing import observed_tables
from protoc_runtime.record import record, replace


@record
class Scored:
    """Results as the JSON of `score`, and what was doubtful."""

    results: Mapping[str, Any]
    warnings: tuple[Diagnostic, ...]

    @property
    def released(self) -> bool:
        """Whether the verdict releases: exit status 0."""
        return bool(self.results["released"])


def score(declared: Declared, rules: ModuleType, data: Path) -> Scored:
    """Apply the rules to the rows in `data`. Raises `Refused`: E1211, E10xx, and what the rules refuse."""
    if not data.is_dir():
        raise Refused([Findings().add(kinds.NO_DATA, None, path=data)])
    findings = Findings()
    tables = read_data(declared, data, findings)
    for table, words, held in rules.expectations(tables):
        if held is not True:
            findings.add(kinds.EXPECTATION_OF_DATA, None, table=table, expectation=words)
    return Scored(evaluate(declared, rules, tables, digests(declared, data)), tuple(findings.sorted()))


def read_data(declared: Declared, data: Path, findings: Findings) -> Tables:
    """The tables of a folder: `TABLE.jsonl` (or .csv, .parquet), or the file that the protocol names. What a run
    observes has no rows where it has no file. Raises `Refused` (E10xx)."""
    from protoc_runtime.reading import read_tables

    here = replace(declared, tables=tuple(_placed(table, data) for table in declared.tables))
    observed = {table.name for table in observed_tables(declared)}
    inputs = [table for table in here.tables if table.kind == "input"]
    absent = [table.name for table in inputs if table.name in observed and not files_of(here, table, data)]
    wanted = [table.name for table in inputs if table.name not in absent]
    tables = read_tables(here, data, only=wanted, findings=findings)
    if findings.failed:
        raise Refused(findings.sorted())
    return with_rows(here, tables, {name: [] for name in absent}, findings)


def files_of(declared: Declared, table: Table, data: Path) -> list[Path]:
    """The files of a table that are there, in the order in which they are read."""
    from protoc_runtime.reading.faults import Faults
    from protoc_runtime.reading.files import sources

    return [source.path for source in sources(declared, table, data, None, Faults(table.name, Findings()))]


def digests(declared: Declared, data: Path) -> dict[str, str]:
    """What formulas may ask for: the SHA-256 of each table's file, and of the frozen files that are there."""
    made = {}
    for table in declared.tables:
        if table.kind == "input":
            files = files_of(declared, _placed(table, data), data)
            if files:
                made[table.name] = _digest(files)
    for item in declared.freeze:
        if item.file and (data / item.file).is_file():
            made[f"freeze.{item.name}"] = digest_file(data / item.file)
    return made


def _placed(table: Table, data: Path) -> Table:
    """The table with its file under the table's own name, where there is such a file."""
    if table.kind == "input" and any((data / f"{table.name}{end}").is_file() for end in (".jsonl", ".csv", ".parquet")):
        return replace(table, file="")
    return table


def _digest(files: Iterable[Path]) -> str:
    hashed = hashlib.sha256()
    for file in files:
        hashed.update(file.read_bytes())
    return hashed.hexdigest()
