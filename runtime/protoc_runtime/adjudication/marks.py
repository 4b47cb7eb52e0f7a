"""Marks: passages of a text, by code points, each with a label; as a sheet has them and as rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from protoc_runtime.procedure import Judgement
from protoc_runtime.record import record

MARK = ("label", "quote", "start", "end", "note")
MOST = 1000  # marks of one row


@record
class Mark:
    """A passage: `[start, end)` in code points of the text, and what it was marked as."""

    start: int
    end: int
    label: str
    note: str = ""

    def told(self, text: str) -> dict[str, Any]:
        """The mark as a sheet has it."""
        quote = text[self.start : self.end]
        return {"label": self.label, "quote": quote, "start": self.start, "end": self.end, "note": self.note}


def in_order(marks: list[Mark]) -> list[Mark]:
    """By their place, then by label."""
    return sorted(marks, key=lambda mark: (mark.start, mark.end, mark.label))


def choices(judgement: Judgement, sees: Mapping[str, Any]) -> list[str]:
    """The labels among which a rater chooses for this row."""
    if not judgement.choices:
        return [label for label, _ in judgement.labels]
    return [str(label) for label in seen(judgement.choices, sees) or ()]


def seen(label: str, sees: Mapping[str, Any]) -> Any:
    """What a row sees under a label; under `elements.name` the names of its list of elements."""
    name, _, column = label.partition(".")
    value = sees.get(name)
    return [item.get(column) for item in value] if column and isinstance(value, list) else value


def text_of(judgement: Judgement, sees: Mapping[str, Any]) -> str:
    """The text that is marked; empty where the row has none."""
    return str(seen(judgement.marks, sees) or "")


def read_mark(given: Any, text: str, labels: list[str]) -> Mark | str:
    """A mark of a sheet, or what is wrong with it."""
    fault = _form(given)
    if fault:
        return fault
    quote, label = given["quote"], given["label"]
    if label not in labels:
        return f"its label is {label!r}, not one of {', '.join(labels) or 'none'}"
    start = given.get("start")
    if start is None:
        places = occurrences(text, quote)
        if not places:
            return f"{_short(quote)} stands nowhere in the text"
        if len(places) > 1:
            return (
                f"{_short(quote)} stands {len(places)} times in the text, so `start` and `end` must tell which is meant"
            )
        start = places[0]
    if text[start : start + len(quote)] != quote or given.get("end", start + len(quote)) != start + len(quote):
        return f"{_short(quote)} does not stand at {start} to {given.get('end', start + len(quote))}, in code points"
    return Mark(start, start + len(quote), label, given.get("note") or "")


def _form(given: Any) -> str:
    if not isinstance(given, dict) or not {"label", "quote"} <= set(given) <= set(MARK):
        return f"it is no map of {', '.join(MARK)}"
    if not isinstance(given["quote"], str) or not given["quote"]:
        return "`quote` is no passage"
    places = [given.get(name) for name in ("start", "end")]
    if any(place is not None and (type(place) is not int or place < 0) for place in places) or (
        places[0] is None and places[1] is not None
    ):
        return "`start` and `end` are places in code points: both, or neither"
    if not isinstance(given.get("note") or "", str) or len(given.get("note") or "") > 2000:
        return "`note` is text of at most 2000 characters"
    return ""


def occurrences(text: str, quote: str) -> list[int]:
    """Where a quote stands, overlaps included."""
    found = []
    at = text.find(quote)
    while at >= 0:
        found.append(at)
        at = text.find(quote, at + 1)
    return found


def mark_rows(judgement: Judgement, line: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The marks of one line of a sheet as rows, numbered from 1, without the columns that name the judged row."""
    for number, mark in enumerate(line["marks"], 1):
        yield {
            "n": number,
            judgement.column: mark["label"],
            **{name: mark[name] for name in ("quote", "start", "end")},
            "note": mark["note"] or None,
        }


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")
