"""The guards of phases, computed by the generated rules from what is known before a phase begins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from types import ModuleType
from typing import Any

from protoc_runtime.declared import Declared
from protoc_runtime.gathering import with_rows
from protoc_runtime.observed import family
from protoc_runtime.phases.allowed import Guard
from protoc_runtime.phases.entries import Entry
from protoc_runtime.phases.history import facts
from protoc_runtime.reading.decimals import decimal_text

BEFORE = ("phase", "manifest", "seal", "subject")  # the records that are known then
Row = Mapping[str, Any]


def guards(
    declared: Declared,
    rules: ModuleType,
    history: Sequence[Entry],
    records: Mapping[str, Row],
    digests: Mapping[str, str],
) -> dict[str, Guard]:
    """Every guard, by its phase. `records` are the rows of manifest, seal and subject, by source."""
    told = _rows(declared, history, records)
    study = rules.study(with_rows(declared, {}, told), digests)
    made = {}
    for phase in declared.phases:
        if phase.enter:
            (value,) = study.definition(phase.enter).values()
            text = rules.rules.items["definitions", phase.enter].text
            made[phase.name] = Guard(value, text, _words(declared, phase.enter, told))
    return made


def _rows(declared: Declared, history: Sequence[Entry], records: Mapping[str, Row]) -> dict[str, list[dict[str, Any]]]:
    known = facts(declared, history)
    made = {}
    for table in declared.tables:
        kind, name = family(table.source)
        if table.record and kind in BEFORE:
            row = known[name] if kind == "phase" else records.get(kind)
            if row is not None:
                made[table.name] = [{column.name: row[column.name] for column in table.stored}]
    return made


def _words(declared: Declared, guard: str, told: Mapping[str, list[dict[str, Any]]]) -> str:
    """The values of the columns that a guard reads."""
    item = next(item for item in declared.items if item.space == "definitions" and item.name == guard)
    read = [column.rpartition(".") for column in item.columns]
    values = [f"{table}.{name} is {_plain(told[table][0][name])}" for table, _, name in read if told.get(table)]
    return ", ".join(values) or "it reads frozen values only"


def _plain(value: Any) -> str:
    if value is None:
        return "undefined"
    if isinstance(value, Fraction):
        return decimal_text(value)
    return str(value).lower() if isinstance(value, bool) else str(value)
