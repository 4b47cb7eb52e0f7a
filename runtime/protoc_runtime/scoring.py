"""Scoring rows that exist already: the rules of a package over a folder of tables. No run, no claim, no registry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from protoc_runtime.canonical import digest_files
from protoc_runtime.catalogue import rows as kinds_of_rows
from protoc_runtime.catalogue import run as kinds
from protoc_runtime.declared import Declared, Table
from protoc_runtime.diagnostics import Diagnostic, Findings, Refused
from protoc_runtime.evaluating import adjudicated, evaluate
from protoc_runtime.expecting import BEFORE_PEOPLE, JUDGED, rows_against, unmet
from protoc_runtime.gathering import Tables, with_rows
from protoc_runtime.observing import observed_tables
from protoc_runtime.record import record, replace

if TYPE_CHECKING:
    from protoc_runtime.engine.declare import Rules


@record
class Scored:
    """Results as the JSON of `score`, and what was doubtful."""

    results: Mapping[str, Any]
    warnings: tuple[Diagnostic, ...]

    @property
    def released(self) -> bool:
        """Whether the verdict releases: exit status 0."""
        return bool(self.results["released"])


def score(declared: Declared, rules: ModuleType, data: Path, *, unchecked: bool = False) -> Scored:
    """Apply the rules to the rows in `data`. Raises `Refused`: E1211, E10xx, and what the rules refuse.

    With `unchecked`, tables in Parquet that the rules evaluate from counts are counted as they are streamed, without
    a look at keys and other columns; N1041 tells of each. All other tables are read and checked as ever.
    """
    if not data.is_dir():
        raise Refused([Findings().add(kinds.NO_DATA, None, path=data)])
    from protoc_runtime.engine.counted import counted

    findings = Findings()
    package = Path(rules.__file__).parent if rules.__file__ else None
    tables = counted(rules.rules, read_data(declared, data, findings, rules.rules if unchecked else None, package))
    untold = any(table not in tables for table in adjudicated(declared))
    dues = BEFORE_PEOPLE if untold else (*BEFORE_PEOPLE, JUDGED)
    for table, words in unmet(declared, rules, tables, dues):
        rows = rows_against(rules, tables, table, words)
        findings.add(kinds.EXPECTATION_OF_DATA, None, table=table, expectation=words + rows)
    return Scored(evaluate(declared, rules, tables, Digests(declared, data)), tuple(findings.sorted()))


def countable(declared: Declared, rules: ModuleType, data: Path) -> bool:
    """Whether `unchecked` has an effect: a table lies here as Parquet, and of it the rules need only counts."""
    names = [name for name, rule in rules.rules.tables.items() if rule.counted is not None]
    here = replace(declared, tables=tuple(_placed(table, data) for table in declared.tables))
    found = (files_of(here, here.table(name), data) for name in names if data.is_dir())
    return not data.is_dir() or any(files and all(file.suffix == ".parquet" for file in files) for files in found)


def read_data(
    declared: Declared, data: Path, findings: Findings, counts: Rules | None = None, package: Path | None = None
) -> Tables:
    """The tables of a folder: `TABLE.jsonl` (or .csv, .parquet), or the file that the protocol names. What a run
    observes has no rows where it has no file. With `counts`, tables are only counted where these rules and the files
    allow it. Raises `Refused` (E10xx)."""
    from protoc_runtime.reading import read_tables

    here = replace(declared, tables=tuple(_placed(table, data) for table in declared.tables))
    observed = {table.name for table in observed_tables(declared)}
    told = adjudicated(declared)
    inputs = [table for table in here.tables if table.kind == "input"]
    without = [table.name for table in inputs if table.name in (*observed, *told) and not files_of(here, table, data)]
    absent = [name for name in without if name not in told]
    streamed = {} if counts is None else _streamed(here, counts, data, findings)
    wanted = [table.name for table in inputs if table.name not in without and table.name not in streamed]
    tables = {**read_tables(here, data, only=wanted, findings=findings), **streamed}
    if findings.failed:
        raise Refused(findings.sorted())
    return with_rows(here, tables, {name: _observed(declared, name, data, package) for name in absent}, findings)


def _observed(declared: Declared, table: str, data: Path, package: Path | None) -> list[dict[str, Any]]:
    """The rows of what a run observes: none, but that of a freeze manifest that is there."""
    from protoc_runtime.manifests.facts import facts_of, manifest_path

    found = manifest_path(declared, data)
    here = None if found is None else next((path for path in (found, data / found.name) if path.is_file()), None)
    if declared.table(table).source != "manifest" or here is None or package is None:
        return []
    row = facts_of(declared, here.read_bytes(), package)
    return [{column.name: row[column.name] for column in declared.table(table).stored}]


def _streamed(declared: Declared, rules: Rules, data: Path, findings: Findings) -> Tables:
    """The tables that need only be counted."""
    from protoc_runtime.engine.counted import height
    from protoc_runtime.reading.counting import count_rows

    made = {}
    for name, rule in rules.tables.items():
        found = None if rule.counted is None else count_rows(declared, declared.table(name), rule.counted, data)
        if found is not None:
            made[name] = found
            columns = ", ".join(rule.counted or ()) or "(none)"
            findings.add(kinds_of_rows.NOT_CHECKED, None, table=name, found=height(found), columns=columns)
    return made


def files_of(declared: Declared, table: Table, data: Path) -> list[Path]:
    """The files of a table that are there, in the order in which they are read."""
    from protoc_runtime.reading.faults import Faults
    from protoc_runtime.reading.files import sources

    return [source.path for source in sources(declared, table, data, None, Faults(table.name, Findings()))]


class Digests(Mapping[str, str]):
    """What formulas may ask for: the SHA-256 of each table's file, and of the frozen files that are there.

    A file is read when its digest is asked for.
    """

    def __init__(self, declared: Declared, data: Path) -> None:
        self._files: dict[str, list[Path]] = {}
        self._known: dict[str, str] = {}
        for table in declared.tables:
            files = files_of(declared, _placed(table, data), data) if table.kind == "input" else []
            if files:
                self._files[table.name] = files
        for item in declared.freeze:
            if item.reads and (data / item.file).is_file():
                self._files[f"freeze.{item.name}"] = [data / item.file]

    def __getitem__(self, name: str) -> str:
        if name not in self._known:
            self._known[name] = digest_files(self._files[name])
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)

    def __contains__(self, name: object) -> bool:
        return name in self._files


def _placed(table: Table, data: Path) -> Table:
    """The table with its file under the table's own name, where there is such a file."""
    if table.kind == "input" and any((data / f"{table.name}{end}").is_file() for end in (".jsonl", ".csv", ".parquet")):
        return replace(table, file="")
    return table
