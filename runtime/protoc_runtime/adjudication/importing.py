"""Filled sheets, checked as a whole: every row once, nothing that was shown changed, every label a declared one.

All faults of all sheets are told together, each with file and line; where there is one, nothing is taken.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from difflib import get_close_matches
from typing import Any

from protoc_runtime.adjudication.marks import MOST, Mark, choices, in_order, mark_rows, read_mark, text_of
from protoc_runtime.adjudication.names import is_name
from protoc_runtime.adjudication.parts import Part
from protoc_runtime.adjudication.sheets import Line, fields, row_text, told_fields
from protoc_runtime.adjudication.times import APART, Window
from protoc_runtime.catalogue import adjudication as kinds
from protoc_runtime.catalogue import room as marks_kinds
from protoc_runtime.declared import Declared
from protoc_runtime.diagnostics import Findings, Span
from protoc_runtime.procedure import Judgement
from protoc_runtime.reading.values import TIME

LONGEST = 2000  # characters of a note
LONGEST_PLACE = 18  # digits of a place in a text


def check_sheet(
    part: Part, due: list[Line], data: bytes, file: str, findings: Findings, times: Window | None = None
) -> list[Line]:
    """What was told, beside key and sight as they were exported (`due`), in that order; faults go to `findings`.
    `times` are those of a sheet that comes in now: nothing in it was judged outside of them."""
    return _Check(part, file, findings, times).lines(due, data)


def filled_rows(declared: Declared, judgement: Judgement, lines: list[Line]) -> list[dict[str, Any]]:
    """The rows of the table that a judgement fills, from the lines of all its raters."""
    names = {column.name for column in declared.table(judgement.fills).stored}
    made = []
    for line in lines:
        told = {"adjudicator": line["adjudicator"], "at": line["at"], "note": line["note"] or None}
        told |= {"rater": line["rater"]} if "rater" in line else {}
        answers = mark_rows(judgement, line) if judgement.marks else ({judgement.column: line["label"]},)
        made += [line["key"] | _named({**told, **answer}, names) for answer in answers]
    return made


def _named(row: Mapping[str, Any], names: set[str]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name in names}


class _Check:
    def __init__(self, part: Part, file: str, findings: Findings, times: Window | None) -> None:
        self._part, self._judgement, self._file, self._findings = part, part.judgement, file, findings
        self._times = times

    def lines(self, due: list[Line], data: bytes) -> list[Line]:
        """The lines of a filled sheet in the order of those that are due; each fault of it goes to the findings."""
        from protoc_runtime.adjudication.sheets import sheet_bytes

        written = [json.loads(line, parse_float=Decimal) for line in sheet_bytes(due).splitlines()]
        wanted = {_form(line["key"]): line for line in written}
        found: dict[str, tuple[int, Line]] = {}
        for number, raw in enumerate(data.removesuffix(b"\n").split(b"\n") if data.strip() else [], 1):
            line = self._line(raw, number)
            if line is not None:
                self._take(line, number, wanted, found)
        for key, line in wanted.items():
            if key not in found:
                row = row_text(self._judgement, line["key"])
                self._findings.add(kinds.LACKING, Span(self._file, 1, 1, 1, 2), name=self._judgement.name, row=row)
        told = told_fields(self._judgement)
        return [line | {name: found[key][1][name] for name in told} for key, line in wanted.items() if key in found]

    def _take(self, line: Line, number: int, wanted: dict[str, Line], found: dict[str, tuple[int, Line]]) -> None:
        span, key = Span(self._file, number, 1, number, 2), _form(line["key"])
        row, name = row_text(self._judgement, line["key"]), self._judgement.name
        if key not in wanted:
            self._findings.add(kinds.NOT_JUDGED_ROW, span, name=name, row=row)
        elif key in found:
            self._findings.add(kinds.TWICE, span, name=name, row=row, first=found[key][0])
        else:
            found[key] = (number, line)
            self._seen(line["sees"], wanted[key]["sees"], row, span)
            self._told(line, wanted[key]["sees"], row, span)

    def _line(self, raw: bytes, number: int) -> Line | None:
        """One line with all its fields, or None after telling what is wrong with it."""
        try:
            line = json.loads(raw.decode("utf-8"), parse_float=Decimal, object_pairs_hook=_once)
            reason = self._form_fault(line)
            _form(line).encode("utf-8")  # half of a surrogate pair has no bytes
        except RecursionError:
            reason = "it is nested too deeply"
        except ValueError as error:
            reason = f"it is no JSON: {error}" if raw.strip() else "it is empty"
        if not reason:
            return dict(line)
        span = Span(self._file, number, 1, number, 2)
        self._findings.add(kinds.NOT_A_ROW, span, name=self._judgement.name, reason=reason)
        return None

    def _form_fault(self, line: Any) -> str:
        if not isinstance(line, dict):
            return "it is no object"
        known = fields(self._part)
        lacking = [name for name in known if name not in line]
        more = [name for name in line if name not in known]
        if lacking or more:
            return "; ".join(
                f"{words} {', '.join(names)}"
                for words, names in (("it lacks", lacking), ("it has also", more))
                if names
            )
        if line["judgement"] != self._judgement.name:
            return f"it belongs to {line['judgement']!r}"
        if line.get("rater", "") != self._part.rater:
            return f"it belongs to the rater {line['rater']!r}"
        if not isinstance(line["key"], dict) or not isinstance(line["sees"], dict):
            return "`key` and `sees` are objects"
        told = [name for name in told_fields(self._judgement) if name != "marks"]
        texts = [name for name in told if not isinstance(line[name] or "", str) or len(line[name] or "") > LONGEST]
        line["note"] = line["note"] or ""
        return f"{', '.join(texts)} must be text of at most {LONGEST} characters" if texts else ""

    def _seen(self, found: Mapping[str, Any], wanted: Mapping[str, Any], row: str, span: Span) -> None:
        for field in dict.fromkeys([*wanted, *found]):
            there = _form(found[field]) if field in found else "nothing"
            due = _form(wanted[field]) if field in wanted else "nothing"
            if there != due:
                shown, other = _short(there), _short(due)
                self._findings.add(kinds.SEEN_CHANGED, span, field=field, row=row, found=shown, expected=other)

    def _told(self, line: Line, sees: Mapping[str, Any], row: str, span: Span) -> None:
        labels = choices(self._judgement, sees)
        if self._judgement.marks:
            self._marks(line, text_of(self._judgement, sees), labels, (row, span))
        elif line["label"] not in labels:
            label = line["label"]
            near = get_close_matches(str(label), labels, 1, 0.5)
            hint = f"did you mean {near[0]}?" if near else "write one of the declared labels"
            found = f"`{_short(label)}`" if label else "empty"
            self._findings.add(kinds.BAD_LABEL, span, row=row, found=found, labels=", ".join(labels), hint=hint)
        if not is_name(line["adjudicator"] or ""):
            found = "`adjudicator` is no name" if line["adjudicator"] else "`adjudicator` is empty"
            self._findings.add(kinds.WHO_AND_WHEN, span, row=row, what="who judged it", found=found)
        at = _time(line["at"])
        if at is None:
            found = f"`at` is {_short(repr(line['at']))}" if line["at"] else "`at` is empty"
            self._findings.add(kinds.WHO_AND_WHEN, span, row=row, what="when it was judged", found=found)
        elif self._times is not None and at > self._times.until + APART:
            now = f"{self._times.until:%Y-%m-%dT%H:%M:%SZ}"
            self._findings.add(marks_kinds.JUDGED_LATER, span, row=row, at=line["at"], now=now)
        elif self._times is not None and at < self._times.since - APART:
            since = f"{self._times.since:%Y-%m-%dT%H:%M:%SZ}"
            about = {"row": row, "at": line["at"], "since": since, "what": self._times.what}
            self._findings.add(marks_kinds.JUDGED_BEFORE, span, **about)

    def _marks(self, line: Line, text: str, labels: list[str], place: tuple[str, Span]) -> None:
        """Read the marks of a line; what is read takes their place, in order."""
        row, span = place
        given = line["marks"]
        if not isinstance(given, list) or len(given) > MOST:
            reason = "it was not filled in" if given is None else f"it is no list of at most {MOST} marks"
            self._findings.add(marks_kinds.NO_MARKS, span, row=row, reason=reason)
            return
        made: list[Mark] = []
        for number, item in enumerate(given, 1):
            mark = read_mark(_whole(item), text, labels)
            same = [each for each in made if isinstance(mark, Mark) and _spans(each) == _spans(mark)]
            if isinstance(mark, str) or same:
                reason = mark if isinstance(mark, str) else "the same passage has this label already"
                self._findings.add(marks_kinds.BAD_MARK, span, number=number, row=row, reason=reason)
            else:
                made.append(mark)
        line["marks"] = [mark.told(text) for mark in in_order(made)]


def _spans(mark: Mark) -> tuple[int, int, str]:
    return mark.start, mark.end, mark.label


def _whole(item: Any) -> Any:
    """Places that were written as `12.0` are whole numbers, too."""
    if not isinstance(item, dict):
        return item
    return {
        name: int(value) if isinstance(value, Decimal) and _is_whole(value) else value for name, value in item.items()
    }


def _is_whole(value: Decimal) -> bool:
    """Whether it is a whole number that a place can be; one of more digits would be written out for hours."""
    return value.is_finite() and value.adjusted() < LONGEST_PLACE and value == value.to_integral_value()


def _time(text: Any) -> datetime | None:
    """A time that rows can hold, or None: what a sheet says when it is taken, a later one must not find fault with."""
    try:
        return datetime.fromisoformat(str(text)).astimezone(UTC) if TIME.fullmatch(str(text)) else None
    except (ValueError, OverflowError):
        return None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a name stands twice in one object")
    return made


def _form(value: Any) -> str:
    """A value as text in which equal values are equal: names sorted, numbers by their value."""
    return json.dumps(_numbered(value), ensure_ascii=False, sort_keys=True)


def _numbered(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _numbered(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_numbered(inner) for inner in value]
    if isinstance(value, (int, Decimal)) and not isinstance(value, bool):
        sign, digits, places = Decimal(value).as_tuple()
        kept = "".join(map(str, digits)).lstrip("0")
        short = kept.rstrip("0")
        return {
            "number": ("-" if sign and short else "")
            + (f"{short}e{int(places) + len(kept) - len(short)}" if short else "0")
        }
    return value


def _short(text: str) -> str:
    return text if len(text) <= 80 else text[:77] + "..."
