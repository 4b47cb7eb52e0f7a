"""What is recorded while people judge: when a row was first shown to a rater, and when a judgement was saved.

The times are those of the stage's own ledger. Where a table has no column `rater`, a judgement was saved when its last
rater had saved it, and a row was first shown when anybody was shown it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from protoc_runtime.adjudication.parts import parts
from protoc_runtime.adjudication.sheets import Line
from protoc_runtime.chain import Line as Event
from protoc_runtime.declared import Declared
from protoc_runtime.review_facts import Fact, facts, tables

JUDGED, EXPORTED, SHOWN = "sheet_imported", "sheet_exported", "row_shown"
Times = dict[tuple[str, str], list[str]]  # by rater and the key of a row, as text


def fact_rows(
    declared: Declared, lines: Mapping[str, list[Line]], events: Iterable[Event]
) -> dict[str, list[dict[str, Any]]]:
    """The rows of every table that holds such facts; `lines` are those of all parts."""
    known = tables(declared)
    if not known:
        return {}
    record = _Record(declared, lines, events)
    return {table.name: record.rows(table) for table in known}


class _Record:
    def __init__(self, declared: Declared, lines: Mapping[str, list[Line]], events: Iterable[Event]) -> None:
        self._parts, self._lines = parts(declared), lines
        self._judgements = {judgement.name: judgement for judgement in declared.judgements}
        self._saved: dict[tuple[str, str], str] = {}
        self._shown: dict[tuple[str, str], dict[int | None, str]] = {}
        for event in events:
            body = event.body
            part = (body.get("judgement", ""), body.get("rater", ""))
            if event.kind == JUDGED:
                self._saved[part] = body["at"]
            elif event.kind in (EXPORTED, SHOWN):
                self._shown.setdefault(part, {}).setdefault(body.get("row"), body["at"])

    def rows(self, table: Any) -> list[dict[str, Any]]:
        """The rows of one table of what is recorded of reviews: a row per key that its judgements have lines for."""
        columns = [column.name for column in table.stored]
        found = facts(columns)
        key = [name for name in table.key if name != "rater"]
        by_rater = "rater" in table.key
        times = {fact.column: self._times(fact, key, by_rater) for fact in found}
        made: dict[str, dict[str, Any]] = {}
        for fact in found:
            judgement = self._judgements[fact.judgement]
            if set(judgement.key) != set(key):
                continue
            for part in self._parts:
                for line in self._lines[part.name] if part.judgement.name == judgement.name else ():
                    row = {name: line["key"][name] for name in key} | ({"rater": part.rater} if by_rater else {})
                    made.setdefault(_text(row, [*key, *(["rater"] if by_rater else [])]), row)
        return [row | {name: of.get(place) for name, of in times.items()} for place, row in made.items()]

    def _times(self, fact: Fact, key: list[str], by_rater: bool) -> dict[str, str]:
        """The time of each row of the table that has one."""
        found: dict[str, list[str]] = {}
        for part in self._parts:
            if part.judgement.name != fact.judgement:
                continue
            of_part = (part.judgement.name, part.rater)
            for at, line in enumerate(self._lines[part.name]):
                row = {name: line["key"][name] for name in key} | ({"rater": part.rater} if by_rater else {})
                shown = self._shown.get(of_part, {})
                times = [self._saved[of_part]] if fact.what == "saved" else [shown[n] for n in (at, None) if n in shown]
                found.setdefault(_text(row, [*key, *(["rater"] if by_rater else [])]), []).extend(times)
        chosen = max if fact.what == "saved" else min
        return {place: chosen(times) for place, times in found.items() if times}


def _text(row: Mapping[str, Any], names: list[str]) -> str:
    return json.dumps([row[name] for name in names], ensure_ascii=False, default=str)
