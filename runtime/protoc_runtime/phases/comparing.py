"""Whether a run answers its cases as the run that led to its phase did: what an optimised runtime must not change."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from protoc_runtime import bundle
from protoc_runtime.canonical import digest_bytes, read_plain
from protoc_runtime.phases.allowed import led_by
from protoc_runtime.phases.entries import Entry
from protoc_runtime.phases.machine import is_machine, phase_of
from protoc_runtime.plan import Plan
from protoc_runtime.strict_json import parsed
from protoc_runtime.tables import TableData

Keyed = dict[str, list[str]]


def changed_rows(made: Plan, tables: Mapping[str, TableData]) -> int | None:
    """The number of rows whose `same` columns are not those of the run that led here, rows that only one of the two
    has included; None where nothing is to be compared, or the rows of that run are not here as it had left them."""
    from protoc_runtime.reading import write_jsonl
    from protoc_runtime.written import written_rows

    if not made.phase or not is_machine(made.declared):
        return None
    phase, led = phase_of(made.declared, made.phase), led_by(made.declared, made.history, made.phase)
    if not phase.same or led is None or led.differs:
        return None
    folder, count = made.request.workspace.root / led.run, 0
    for name, columns in _by_table(phase.same).items():
        before = _rows_of(folder, led, name)
        if before is None or name not in tables:
            return None
        key = made.declared.table(name).key
        now = write_jsonl(written_rows(made.declared, name, tables)).splitlines()
        count += _differing(_keyed(before.splitlines(), key, columns), _keyed(now, key, columns))
    return count


def _rows_of(folder: Path, led: Entry, name: str) -> bytes | None:
    """The rows of a table in the bundle of a run, if they are those to which the receipt that the registry knows leads:
    receipt, manifest, file. None where they are not, or the bundle is not here."""
    path = f"{bundle.ROWS}/{name}.jsonl"
    try:
        data = read_plain(folder / path)
        due = (listed(folder, led) or {})[path]["sha256"]
    except (OSError, KeyError, TypeError):
        return None
    return data if due == digest_bytes(data) else None


def listed(folder: Path, led: Entry) -> Mapping[str, Any] | None:
    """What the manifest of a bundle lists, by path, if it is that of the receipt that the registry knows."""
    try:
        receipt, manifest = (read_plain(folder / part) for part in (bundle.RECEIPT, bundle.MANIFEST))
        files, due = parsed(manifest)["files"], parsed(receipt)["predicate"]["manifest"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    same = (led.receipt.removeprefix("sha256:"), due) == (digest_bytes(receipt), digest_bytes(manifest))
    return files if same and isinstance(files, Mapping) else None


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
