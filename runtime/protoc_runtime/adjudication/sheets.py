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

from protoc_runtime.adjudication.parts import Part
from protoc_runtime.declared import Declared
from protoc_runtime.evaluating import adjudicated
from protoc_runtime.gathering import Tables, with_rows
from protoc_runtime.procedure import Judgement
from protoc_runtime.rendering import escape

SIGNED = ("adjudicator", "at", "note")
Line = dict[str, Any]
_SIGNS = str.maketrans({" ": "\u2423", "\n": "\u21b5", "\r": "\u240d", "\t": "\u21e5", "\u00a0": "\u237d"})


def told_fields(judgement: Judgement) -> tuple[str, ...]:
    """What a rater writes of a row: its label or its marks, and by whom and when."""
    return ("marks" if judgement.marks else "label", *SIGNED)


def fields(part: Part) -> tuple[str, ...]:
    """The fields of a line."""
    rater = ("rater",) if part.rater else ()
    return ("judgement", *rater, "key", "sees", *told_fields(part.judgement))


def sheet_lines(
    declared: Declared, rules: ModuleType, tables: Tables, digests: Mapping[str, str], part: Part
) -> list[Line]:
    """The lines of one sheet, nothing filled in; `tables` are those of the run and of the judgements that are in."""
    empty: dict[str, list[Line]] = {table: [] for table in adjudicated(declared) if table not in tables}
    study = rules.study(with_rows(declared, tables, empty), digests)
    told: Line = dict.fromkeys(told_fields(part.judgement), "")
    if part.judgement.marks:
        told["marks"] = None
    head = {"judgement": part.judgement.name, **({"rater": part.rater} if part.rater else {})}
    return [
        {**head, "key": row["key"], "sees": _plain(row["sees"]), **told} for row in study.sheet(part.judgement.name)
    ]


def sheet_bytes(lines: list[Line]) -> bytes:
    """A sheet as its file."""
    from protoc_runtime.reading import write_jsonl

    return write_jsonl(lines)


def row_text(judgement: Judgement, key: Mapping[str, Any]) -> str:
    """How messages name a row: `case c07, rank 1`."""
    return ", ".join(f"{name} {_text(key.get(name))}" for name in judgement.key)


def worksheet(title: str, sheets: Mapping[Part, list[Line]], found: Mapping[str, Any] | None = None) -> str:
    """The page: every judgement with its question and labels, one section per row; `found` are lists of the protocol
    (such as the ids of false positives), shown first."""
    lines = [f"# Adjudication: {escape(title)}", ""]
    for name, value in (found or {}).items():
        lines.append(f"- {escape(name)}: {escape(_text(value))}")
    lines += [""] if found else []
    for part, rows in sheets.items():
        lines += _part(part, rows)
    return "\n".join(lines)


def with_ends(line: Line) -> Line:
    """A line for a page that is printed: white space at the ends of what is seen has signs that can be seen."""
    return {**line, "sees": {name: _ends(value) for name, value in line["sees"].items()}}


def _ends(value: Any) -> Any:
    if isinstance(value, str):
        first, last = len(value) - len(value.lstrip()), len(value.rstrip())
        return value[:first].translate(_SIGNS) + value[first:last] + value[max(first, last) :].translate(_SIGNS)
    if isinstance(value, Mapping):
        return {name: _ends(inner) for name, inner in value.items()}
    return [_ends(inner) for inner in value] if isinstance(value, list) else value


def _part(part: Part, rows: list[Line]) -> Iterator[str]:
    judgement = part.judgement
    yield from (f"## {escape(judgement.name)}{f' ({escape(part.rater)})' if part.rater else ''}", "")
    if judgement.says:
        yield from (escape(judgement.says), "")
    if judgement.choices:
        yield from (f"The labels of a row are its {escape(judgement.choices)}.", "")
    else:
        yield from ("| label | meaning |", "|---|---|")
        yield from (f"| {escape(label)} | {escape(meaning)} |" for label, meaning in judgement.labels)
        yield ""
    yield from (f"{len(rows)} {'row' if len(rows) == 1 else 'rows'} of {escape(judgement.judges)}.", "")
    for number, row in enumerate(rows, 1):
        yield from (f"### {number}. {escape(row_text(judgement, row['key']))}", "")
        for name, value in row["sees"].items():
            yield from _seen(name, value)
        yield ""
        yield from _answer(judgement, row)
        by = f"{escape(row['adjudicator'])}, {escape(row['at'])}" if row["adjudicator"] else "______"
        yield f"- Adjudicator and time: {by}"
        yield from ((f"- Note: {escape(row['note'])}",) if row["note"] else ())
        yield ""


def _answer(judgement: Judgement, row: Line) -> Iterator[str]:
    if not judgement.marks:
        yield f"- Label: {escape(row['label']) or '______'}"
        return
    marks = row["marks"]
    yield f"- Marks: {'______' if marks is None else len(marks) or 'none'}"
    for mark in marks or ():
        note = f" ({escape(mark['note'])})" if mark["note"] else ""
        yield f"  - {escape(mark['label'])}, {mark['start']} to {mark['end']}: {escape(mark['quote'])}{note}"


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
