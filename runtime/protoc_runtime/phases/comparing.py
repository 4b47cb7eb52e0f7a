"""Whether a run answers its cases as the run that led to its phase did: what an optimised runtime must not change."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from protoc_runtime import bundle
from protoc_runtime.phases.allowed import led_by
from protoc_runtime.phases.machine import is_machine, phase_of
from protoc_runtime.tables import TableData

if TYPE_CHECKING:
    from protoc_runtime.planning import Plan

Keyed = dict[str, list[str]]


def changed_rows(made: Plan, tables: Mapping[str, TableData]) -> int | None:
    """The number of rows whose `same` columns are not those of the run that led here, rows that only one of the two
    has included; None where nothing is to be compared, or the bundle of that run is not here."""
    from protoc_runtime.reading import write_jsonl
    from protoc_runtime.written import written_rows

    if not made.phase or not is_machine(made.declared):
        return None
    phase, led = phase_of(made.declared, made.phase), led_by(made.declared, made.history, made.phase)
    if not phase.same or led is None or led.differs:
        return None
    folder = made.request.workspace.root / led.run / bundle.ROWS
    count = 0
    for name, columns in _by_table(phase.same).items():
        path = folder / f"{name}.jsonl"
        if not path.is_file() or name not in tables:
            return None
        key = made.declared.table(name).key
        now = write_jsonl(written_rows(made.declared, name, tables)).splitlines()
        count += _differing(_keyed(path.read_bytes().splitlines(), key, columns), _keyed(now, key, columns))
    return count


def _by_table(same: Iterable[str]) -> dict[str, list[str]]:
    made: dict[str, list[str]] = {}
    for each in same:
        table, _, column = each.partition(".")
        made.setdefault(table, []).append(column)
    return made


def _keyed(lines: Iterable[bytes], key: tuple[str, ...], columns: list[str]) -> Keyed:
    """The compared values of each row by its key, as they are written."""
    rows: list[dict[str, Any]] = [json.loads(line, parse_float=str) for line in lines]
    return {json.dumps([row[name] for name in key]): [json.dumps(row[name]) for name in columns] for row in rows}


def _differing(before: Keyed, now: Keyed) -> int:
    return sum(before.get(name) != now.get(name) for name in {*before, *now})
