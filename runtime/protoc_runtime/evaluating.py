"""From tables to results: the generated rules, and what is shown of one case."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

from protoc_runtime import review_facts
from protoc_runtime.adjudication.pending import pending
from protoc_runtime.canonical import digest_file, digest_files
from protoc_runtime.declared import Declared, Table
from protoc_runtime.gathering import with_rows
from protoc_runtime.naming import Named, named_rows
from protoc_runtime.reading.decimals import decimal_text
from protoc_runtime.seal import Pins
from protoc_runtime.tables import TableData

Tables = Mapping[str, TableData]


def evaluate(declared: Declared, rules: ModuleType, tables: Tables, digests: Mapping[str, str]) -> dict[str, Any]:
    """The results as the JSON of `score`, and `rows`, where single ones made a rule fail. Raises `Refused` for rows
    that make a formula impossible.

    Without the tables that people fill, what waits for them is pending.
    """
    whole, lacking = _whole(declared, tables)
    results = rules.evaluate(whole, digests)
    results = pending(declared, results) if lacking else results
    made: dict[str, Any] = results.to_json(declared.digest)
    study = rules.study(whole, digests) if results.reasons else None
    named = [found.to_json() for found in named_rows(study, results.reasons)] if study is not None else []
    return made | ({"rows": named} if named else {})


def speaking(
    declared: Declared, rules: ModuleType, tables: Tables, digests: Mapping[str, str]
) -> list[tuple[str, Named]]:
    """The rows that made rules fail, each with the reason in words that it belongs to."""
    whole, lacking = _whole(declared, tables)
    results = rules.evaluate(whole, digests)
    reasons = (pending(declared, results) if lacking else results).reasons
    words = {(reason.space, reason.name): reason.text() for reason in reasons}
    return [(words[found.space, found.rule], found) for found in named_rows(rules.study(whole, digests), reasons)]


def _whole(declared: Declared, tables: Tables) -> tuple[Tables, bool]:
    """The tables with those that people fill, empty where they have not told, and whether one is."""
    lacking = [table for table in adjudicated(declared) if table not in tables]
    return with_rows(declared, dict(tables), {table: [] for table in lacking}), bool(lacking)


def adjudicated(declared: Declared) -> tuple[str, ...]:
    """The tables that people fill, and those with what is recorded of it."""
    recorded = (table.name for table in review_facts.tables(declared))
    return (*(judgement.fills for judgement in declared.judgements), *recorded)


def file_digests(declared: Declared, folder: Path, pins: Pins) -> dict[str, str]:
    """What formulas may ask for: the SHA-256 of the file of each table (of several, of their bytes in order), and of
    each frozen file (`freeze.NAME`)."""
    made = {f"freeze.{item.name}": digest_file(folder / item.file) for item in declared.freeze if item.reads}
    for table in declared.tables:
        files = [pin for pin in pins.inputs if pin.table == table.name]
        if len(files) == 1:
            made[table.name] = files[0].sha256
        elif files:
            made[table.name] = digest_files([folder / pin.path for pin in files])
    return made


def unit_rows(
    rules: ModuleType, declared: Declared, tables: Tables, digests: Mapping[str, str]
) -> list[dict[str, Any]]:
    """The rows of the table of cases with every derived column, as JSON can hold them."""
    if declared.subject is None:
        return []
    unit = declared.subject.unit
    return [shown(row) for row in whole_rows(rules, declared, tables, digests, (unit,))[unit]]


def whole_rows(
    rules: ModuleType, declared: Declared, tables: Tables, digests: Mapping[str, str], names: Iterable[str]
) -> dict[str, list[dict[str, Any]]]:
    """The rows of these tables with their derived columns, by table. A column that waits for people who have not told
    yet is left out: over no rows of theirs it would look decided."""
    whole, untold = _whole(declared, tables)
    study = rules.study(whole, digests)
    made = {}
    for name in names:
        table = declared.table(name)
        late = {column.name for column in table.columns if untold and column.waits}
        rows = in_file_order(study, table)
        made[name] = [{column: row[column] for column in row if column not in late} for row in rows]
    return made


def in_file_order(study: Any, table: Table) -> Iterable[dict[str, Any]]:
    """The rows of a table as they are stored, with derived columns."""
    places: list[int] = study.rows(table.name).row.data.to_list()
    rows: list[dict[str, Any]] = study.table_rows(table.name)
    return [row for _, row in sorted(zip(places, rows, strict=True), key=lambda pair: pair[0])]


def shown(value: Any) -> Any:
    """A value of a column for people: a rational as a number where it is a decimal, else as `num/den`."""
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, Mapping):
        return {str(name): shown(item) for name, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [shown(item) for item in value]
    if isinstance(value, Fraction):
        return value if "/" not in decimal_text(value) else f"{value.numerator}/{value.denominator}"
    return str(value)
