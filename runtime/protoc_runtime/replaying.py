"""The rows and cases of a bundle, made once more from the answers that its ledger holds.

The ledger is where an answer is written first. Rows that a subject's answers do not give have been changed since.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from itertools import zip_longest
from pathlib import Path
from typing import Any

from protoc_runtime import bundle
from protoc_runtime.declared import Declared
from protoc_runtime.evaluating import unit_rows
from protoc_runtime.execution import Result, finished_cases
from protoc_runtime.frozen_set import frozen_facts
from protoc_runtime.gathering import with_rows
from protoc_runtime.ledger_file import read_events
from protoc_runtime.observing import call_rows, session_rows, target_rows
from protoc_runtime.opened import load_digests
from protoc_runtime.packages import load_protocol, load_rules
from protoc_runtime.packets import packet_files
from protoc_runtime.phases.receipt import guard_holds, phase_rows
from protoc_runtime.subjects.answers import AnswerFault, Pairs
from protoc_runtime.subjects.calling import answers_of, cases_of
from protoc_runtime.tables import TableData
from protoc_runtime.target import target_facts
from protoc_runtime.written import read_bundle, written_rows

Line = dict[str, Any]


def case_lines(results: Iterable[Result], rows: Iterable[Mapping[str, Any]]) -> list[Line]:
    """The lines of cases.jsonl: outcome, row with derived columns, and answer of each case."""
    return [
        {
            "case": result.key,
            "outcome": result.outcome,
            "reason": result.reason,
            "wall_s": None if result.wall is None else Decimal(result.wall).scaleb(-6),
            "row": row,
            "answers": None if result.answer is None else json.loads(result.answer, parse_float=Decimal),
        }
        for result, row in zip(results, rows, strict=True)
    ]


def replay_faults(folder: Path) -> Iterator[tuple[str, str]]:
    """Each file of a bundle that is not what the ledger's answers give, and the first row that differs. Runs the
    bundle's rules."""
    package = folder / bundle.PACKAGE
    declared = load_protocol(package)
    subject = declared.subject
    if subject is None:
        return
    tables = read_bundle(declared, folder / bundle.ROWS)
    found = finished_cases(read_events(folder / bundle.LEDGER))
    results = [found[key] for key in cases_of(declared, tables).keys if key in found]
    if subject.kind != "recorded":
        others = {name: data for name, data in tables.items() if name.partition(".")[0] not in subject.gives}
        try:
            tables = with_rows(declared, others, _answered(declared, others, results))
        except AnswerFault as fault:
            yield bundle.LEDGER, f"an answer in it does not fit its tables: {fault}"
            return
        for name in subject.gives:
            file = f"{bundle.ROWS}/{name}.jsonl"
            if what := _first_difference(folder / file, written_rows(declared, name, tables), ""):
                yield file, what
    yield from _observed_faults(folder, declared, tables)
    rules = load_rules(package)
    if not guard_holds(declared, read_events(folder / bundle.LEDGER), rules.study(tables, load_digests(folder))):
        yield bundle.LEDGER, "the guard of its phase is not true of the rows here"
    rows = unit_rows(rules, declared, tables, load_digests(folder))
    if len(results) == len(rows) and (
        what := _first_difference(folder / bundle.CASES, case_lines(results, rows), "case")
    ):
        yield bundle.CASES, what
    for name, data in packet_files(declared, load_rules(package), tables, load_digests(folder)).items():
        if not (folder / name).is_file() or (folder / name).read_bytes() != data:
            yield name, "it is not made of these rows"


def _observed_faults(folder: Path, declared: Declared, tables: Mapping[str, TableData]) -> Iterator[tuple[str, str]]:
    """The rows of attempts, counters of providers and the target that are not what the ledger tells."""
    due: dict[str, list[dict[str, Any]]] = {}
    events = list(read_events(folder / bundle.LEDGER))
    if declared.subject is not None and declared.subject.session is not None:
        from protoc_runtime.agents.traces import trace_faults

        yield from trace_faults(folder, events, declared.subject.session)
    if declared.target is not None:
        due |= target_rows(declared, target_facts(events, declared.target.commit))
    if declared.providers:
        from protoc_runtime.providers.rows import observed_calls

        keys = cases_of(declared, tables).keys
        due |= call_rows(declared, observed_calls(events, declared.providers, keys))
    due |= phase_rows(declared, events)
    due |= session_rows(declared, _sessions(declared, tables, events), frozen_facts(events))
    made = with_rows(declared, {name: data for name, data in tables.items() if name not in due}, due)
    for name in due:
        file = f"{bundle.ROWS}/{name}.jsonl"
        if what := _first_difference(folder / file, written_rows(declared, name, made), ""):
            yield file, what


def _sessions(declared: Declared, tables: Mapping[str, TableData], events: list[Any]) -> dict[str, list[Line]]:
    subject = declared.subject
    if subject is None or subject.session is None:
        return {}
    from protoc_runtime.agents import rows

    return rows.session_rows(events, subject.session, cases_of(declared, tables).keys)


def _answered(declared: Declared, tables: Mapping[str, TableData], results: list[Result]) -> dict[str, list[Pairs]]:
    answers, keys = answers_of(declared, tables), cases_of(declared, tables).keys
    made: dict[str, list[Pairs]] = {name: [] for name in answers.tables}
    for result in results:
        if result.answer is not None:
            for name, rows in answers.rows(keys[result.key], result.answer).items():
                made[name] += rows
    return made


def _first_difference(path: Path, due: list[Line], name: str) -> str:
    """Where a file of rows first differs from what is due, in words; empty where it does not."""
    from protoc_runtime.reading import raw_rows, write_jsonl

    lines = [json.loads(line, parse_float=Decimal) for line in write_jsonl(due).splitlines()]
    for number, (there, wanted) in enumerate(zip_longest(raw_rows(path), lines), 1):
        if there != wanted:
            about = f" (case {wanted[name]})" if name and wanted else ""
            return f"line {number}{about}, {_difference(there, wanted)}"
    return ""


def _difference(there: Any, wanted: Any) -> str:
    """The first field that differs, with both values."""
    if isinstance(there, dict) and isinstance(wanted, dict):
        for field in dict.fromkeys([*wanted, *there]):
            if there.get(field) != wanted.get(field):
                return f"{field}: {_difference(there.get(field), wanted.get(field))}"
    return f"{_told(there)}, the ledger gives {_told(wanted)}"


def _told(value: Any) -> str:
    text = "nothing" if value is None else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 200 else text[:197] + "..."
