"""Sheets: the rows of each judgement as a rater gets them, as JSONL to fill in and as a page to read.

A sheet is computed from the closed stage of the run and from the judgements that are in, never stored before it is
filled, so what a rater may see is exactly what the protocol says.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from types import ModuleType
from typing import Any

from protoc_runtime.declared import Declared
from protoc_runtime.evaluating import adjudicated
from protoc_runtime.gathering import Tables, with_rows
from protoc_runtime.procedure import Judgement
from protoc_runtime.rendering import escape

TOLD = ("label", "adjudicator", "at", "note")  # what a rater writes
FIELDS = ("judgement", "key", "sees", *TOLD)
Line = dict[str, Any]


def sheet_lines(
    declared: Declared, rules: ModuleType, tables: Tables, digests: Mapping[str, str], judgement: Judgement
) -> list[Line]:
    """The lines of one sheet, nothing filled in; `tables` are those of the run and of the judgements that are in."""
    empty: dict[str, list[Line]] = {table: [] for table in adjudicated(declared) if table not in tables}
    study = rules.study(with_rows(declared, tables, empty), digests)
    told = dict.fromkeys(TOLD, "")
    return [
        {"judgement": judgement.name, "key": row["key"], "sees": _plain(row["sees"]), **told}
        for row in study.sheet(judgement.name)
    ]


def sheet_bytes(lines: list[Line]) -> bytes:
    """A sheet as its file."""
    from protoc_runtime.reading import write_jsonl

    return write_jsonl(lines)


def row_text(judgement: Judgement, key: Mapping[str, Any]) -> str:
    """How messages name a row: `case c07, rank 1`."""
    return ", ".join(f"{name} {_text(key.get(name))}" for name in judgement.key)


def worksheet(title: str, sheets: Mapping[Judgement, list[Line]], found: Mapping[str, Any] | None = None) -> str:
    """The page: every judgement with its question and labels, one section per row; `found` are lists of the protocol
    (such as the ids of false positives), shown first."""
    lines = [f"# Adjudication: {escape(title)}", ""]
    for name, value in (found or {}).items():
        lines.append(f"- {escape(name)}: {escape(_text(value))}")
    lines += [""] if found else []
    for judgement, rows in sheets.items():
        lines += _judgement(judgement, rows)
    return "\n".join(lines)


def _judgement(judgement: Judgement, rows: list[Line]) -> Iterator[str]:
    yield from (f"## {escape(judgement.name)}", "")
    if judgement.says:
        yield from (escape(judgement.says), "")
    yield from ("| label | meaning |", "|---|---|")
    yield from (f"| {escape(label)} | {escape(meaning)} |" for label, meaning in judgement.labels)
    yield from ("", f"{len(rows)} {'row' if len(rows) == 1 else 'rows'} of {escape(judgement.judges)}.", "")
    for number, row in enumerate(rows, 1):
        yield from (f"### {number}. {escape(row_text(judgement, row['key']))}", "")
        for name, value in row["sees"].items():
            yield from _seen(name, value)
        yield ""
        yield f"- Label: {escape(row['label']) or '______'}"
        by = f"{escape(row['adjudicator'])}, {escape(row['at'])}" if row["adjudicator"] else "______"
        yield f"- Adjudicator and time: {by}"
        yield from ((f"- Note: {escape(row['note'])}",) if row["note"] else ())
        yield ""


def _seen(name: str, value: Any) -> Iterator[str]:
    """A value; of a list of maps one line each."""
    if isinstance(value, list) and value and all(isinstance(item, Mapping) for item in value):
        yield f"- {escape(name)}:"
        for item in value:
            yield "  - " + "; ".join(f"{escape(part)}: {escape(_text(inner))}" for part, inner in item.items())
    else:
        yield f"- {escape(name)}: {escape(_text(value))}"


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_text, value)) or "(none)"
    if isinstance(value, Mapping):
        return "; ".join(f"{name}: {_text(inner)}" for name, inner in value.items())
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    return str(value)


def _plain(value: Any) -> Any:
    """Values as JSON has them: sets and tuples as lists, rationals without an end as text."""
    from protoc_runtime.reading.decimals import decimal_text

    if isinstance(value, Mapping):
        return {str(name): _plain(inner) for name, inner in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted((_plain(inner) for inner in value), key=str)
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    if isinstance(value, Fraction) and not isinstance(value, bool) and "/" in decimal_text(value):
        return decimal_text(value)
    return value
