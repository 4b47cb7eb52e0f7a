"""What the tool itself has seen, as rows of the tables and records that a protocol declares for it.

`observed` lists what there is; a protocol gets exactly the columns that it declares.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from protoc_runtime.declared import Declared, Table
from protoc_runtime.execution import Result
from protoc_runtime.observed import OF_SESSIONS, OUTCOMES, RECORDS, TABLES, family
from protoc_runtime.procedure import Provider
from protoc_runtime.record import record
from protoc_runtime.tables import UNIT_FACTORS, UNIT_PLACES

MICROSECONDS = 10**6


@record
class Reading:
    """One reading of a split, as the registry knows it."""

    reading: str
    split: str
    use: str
    run: str
    at: str


@record
class ProviderCalls:
    """What the ledger tells of one provider; `rows` have every column of `observed.ATTEMPTS`."""

    attempts: int
    calls: int
    usable: bool
    rows: tuple[Mapping[str, Any], ...]


@record
class Observed:
    """Everything that may be asked for. `results` by the key of the case; `keys` gives the case as rows write it."""

    results: tuple[Result, ...]
    keys: Mapping[str, Any]
    readings: tuple[Reading, ...]
    seal: Mapping[str, Any]
    subject: Mapping[str, Any]
    started: str
    finished: str
    calls: Mapping[str, ProviderCalls] = MappingProxyType({})
    target: Mapping[str, Any] = MappingProxyType({})
    secrets: int = 0  # findings of the secret scan
    sessions: Mapping[str, list[dict[str, Any]]] = MappingProxyType({})  # rows of an agent's sessions, by source
    git: Mapping[str, Any] = MappingProxyType({})
    batch: int | None = None  # microseconds from the first question to the last answer
    manifest: Mapping[str, Any] = MappingProxyType({})  # what the freeze manifest says
    audits: tuple[Mapping[str, Any], ...] = ()  # rows of `auditing.rows_of`
    phase: str = ""  # the phase of this run
    lacking: tuple[str, ...] = ()  # evidence of the phase that is not there
    changed: int | None = None  # cases that are not answered as in the run that led to the phase
    phases: Mapping[str, Mapping[str, Any]] = MappingProxyType({})  # what is known of each phase, by name


def observed_tables(declared: Declared) -> tuple[Table, ...]:
    """The declared tables and records whose rows the tool makes."""
    return tuple(
        t for t in declared.tables if t.kind == "input" and family(t.source)[0] in (RECORDS if t.record else TABLES)
    )


def observed_rows(declared: Declared, seen: Observed) -> dict[str, list[dict[str, Any]]]:
    """The rows of every such table, with the declared columns only."""
    complete = receipt_complete(declared, seen)
    return {
        table.name: [
            _cut(table, row) for row in ([{"complete": complete}] if table.source == "receipt" else _rows(table, seen))
        ]
        for table in observed_tables(declared)
    }


def receipt_complete(declared: Declared, seen: Observed) -> bool:
    """Whether everything is known that the receipt tells of, before it is written.

    Every case has an outcome. The target has its commit, state and digests. Of each provider there are counters; each
    acceptable answer has its model's vector dimension where the protocol pins one. Nothing lacks of the evidence that
    the phase says is preserved.
    """
    target = [seen.target.get(name) for name in _target_fields(declared)]
    return (
        all(result.outcome in OUTCOMES for result in seen.results)
        and bool(seen.started and seen.finished)
        and not seen.lacking
        and all(value is not None and value != "" for value in target)
        and all(_told_whole(provider, seen.calls.get(provider.name)) for provider in declared.providers)
    )


def _target_fields(declared: Declared) -> tuple[str, ...]:
    if declared.target is None:
        return ()
    return (*RECORDS["target"], *(name for name, _ in declared.target.digests))


def _told_whole(provider: Provider, told: ProviderCalls | None) -> bool:
    sized = provider.answer is not None and provider.answer.dimension is not None
    return told is not None and not (
        sized and any(row["acceptable"] and row["vector_dimension"] is None for row in told.rows)
    )


def call_rows(declared: Declared, calls: Mapping[str, ProviderCalls]) -> dict[str, list[dict[str, Any]]]:
    """The rows of the tables and records that tell of providers, from what a ledger tells of them."""
    tables = [t for t in observed_tables(declared) if family(t.source)[0] in ("ledger", "provider")]
    return {table.name: [_cut(table, row) for row in _call_rows(table, calls)] for table in tables}


def session_rows(
    declared: Declared, sessions: Mapping[str, list[dict[str, Any]]], git: Mapping[str, Any]
) -> dict[str, list[dict[str, Any]]]:
    """The rows of the tables that tell of an agent's sessions, and of the record of the frozen set."""
    told = {**sessions, "git": [dict(git)]}
    tables = [table for table in observed_tables(declared) if table.source in told]
    return {table.name: [_cut(table, row) for row in told[table.source]] for table in tables}


def target_rows(declared: Declared, facts: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """The rows of the records that tell of the target."""
    return {table.name: [_cut(table, facts)] for table in observed_tables(declared) if table.source == "target"}


def counters(results: Iterable[Result]) -> dict[str, int]:
    """The number of cases, and of each outcome."""
    outcomes = [result.outcome for result in results]
    return {"cases": len(outcomes)} | {name: outcomes.count(name) for name in OUTCOMES}


def _rows(table: Table, seen: Observed) -> list[dict[str, Any]]:
    kind, name = family(table.source)
    if kind == "phase":
        return [dict(seen.phases[name])]
    if name:
        return _call_rows(table, seen.calls)
    if kind in OF_SESSIONS:
        return seen.sessions[kind]
    if kind == "audit":
        return [dict(row) for row in seen.audits]
    if not table.record:
        return _cases(seen) if table.source == "runner" else [_fields(reading) for reading in seen.readings]
    if table.source == "seal":
        return [dict(seen.seal)]
    if table.source == "target":
        return [dict(seen.target)]
    if table.source == "git":
        return [dict(seen.git)]
    if table.source == "subject":
        return [dict(seen.subject)]
    if table.source == "manifest":
        return [dict(seen.manifest)]
    if table.source == "secret scan":
        return [{"findings": seen.secrets}]
    counted = counters(seen.results)
    unscored = counted["cases"] - counted["scored"]
    times = {"started": seen.started, "finished": seen.finished}
    counted = {"cases": counted["cases"], "scored": counted["scored"], "unscored": unscored}
    batch = None if seen.batch is None else Fraction(seen.batch, MICROSECONDS)
    return [{**times, **counted, "phase": seen.phase or None, "changed": seen.changed, "batch": batch}]


def _call_rows(table: Table, calls: Mapping[str, ProviderCalls]) -> list[dict[str, Any]]:
    source, provider = family(table.source)
    told = calls[provider]
    if not table.record:
        return [dict(row) for row in told.rows]
    return [{"attempts": told.attempts, "calls": told.calls} if source == "ledger" else {"usable": told.usable}]


def _cases(seen: Observed) -> list[dict[str, Any]]:
    return [
        {
            "case": seen.keys[result.key],
            "outcome": result.outcome,
            "reason": result.reason,
            "wall": None if result.wall is None else Fraction(result.wall, MICROSECONDS),
        }
        for result in seen.results
    ]


def _fields(reading: Reading) -> dict[str, Any]:
    return {name: getattr(reading, name) for name in TABLES["registry"]}


def _cut(table: Table, row: Mapping[str, Any]) -> dict[str, Any]:
    made = {}
    for column in table.stored:
        value = row[column.name]
        if column.type.kind == "quantity" and isinstance(value, Fraction):
            value = value * 10 ** UNIT_PLACES.get(column.type.shown, 0) / UNIT_FACTORS.get(column.type.shown, 1)
        made[column.name] = value
    return made
