"""What raters have done so far, row by row: rebuilt from the ledger of the stage, so that no crash loses a step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from protoc_runtime.adjudication.facts import SHOWN
from protoc_runtime.adjudication.marks import Mark, in_order
from protoc_runtime.adjudication.parts import part_name
from protoc_runtime.chain import Line as Event

ENTERED, DONE, UNDONE = "rater_entered", "row_done", "step_undone"
MARKED, UNMARKED, LABELLED, NOTED = "mark_added", "mark_removed", "label_set", "note_set"
STEPS = (MARKED, UNMARKED, LABELLED, NOTED)
KINDS = (ENTERED, SHOWN, DONE, UNDONE, *STEPS)


class Draft:
    """One row of one part: its steps, each of which can be undone, and whether its rater is done with it."""

    def __init__(self) -> None:
        self.steps: list[Event] = []
        self.shown = False
        self.done_at = ""
        self.done_by = ""

    @property
    def marks(self) -> list[Mark]:
        """The marks that stand, in order."""
        found: dict[tuple[int, int, str], Mark] = {}
        for step in self.steps:
            body = step.body
            if step.kind in (MARKED, UNMARKED):
                place = (body["start"], body["end"], body["label"])
                if step.kind == MARKED:
                    found[place] = Mark(*place, body.get("note", ""))
                else:
                    found.pop(place, None)
        return in_order(list(found.values()))

    @property
    def label(self) -> str:
        """The label that was set last, or ""."""
        return self._last(LABELLED, "label")

    @property
    def note(self) -> str:
        """The note that was written last, or ""."""
        return self._last(NOTED, "note")

    def _last(self, kind: str, name: str) -> str:
        return next((str(step.body[name]) for step in reversed(self.steps) if step.kind == kind), "")

    def told(self, text: str, *, marks: bool) -> dict[str, Any]:
        """What a sheet says of the row."""
        answer = {"marks": [mark.told(text) for mark in self.marks]} if marks else {"label": self.label}
        return {**answer, "adjudicator": self.done_by, "at": self.done_at, "note": self.note}


class Drafts:
    """All drafts of a stage."""

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self._rows: dict[tuple[str, int], Draft] = {}
        self._names: dict[str, str] = {}
        for event in events:
            self.take(event.kind, event)

    def take(self, kind: str, event: Event) -> None:
        """Apply one event; those of other kinds say nothing here."""
        body = event.body
        if kind == ENTERED:
            self._names[body["rater"]] = body["name"]
        elif kind in KINDS:
            draft = self.row(part_name(body["judgement"], body["rater"]), body["row"])
            self._apply(draft, kind, event, self._names.get(body["rater"], ""))

    @staticmethod
    def _apply(draft: Draft, kind: str, event: Event, name: str) -> None:
        if kind == SHOWN:
            draft.shown = True
        elif kind == DONE:
            draft.done_at, draft.done_by = event.body["at"], name
        else:
            if kind == UNDONE:
                del draft.steps[-1:]
            else:
                draft.steps.append(event)
            labelled = kind == LABELLED or (draft.done_at and draft.label and kind in (UNDONE, NOTED))
            draft.done_at, draft.done_by = (event.body["at"], name) if labelled else ("", "")

    def row(self, part: str, row: int) -> Draft:
        """The draft of a row."""
        return self._rows.setdefault((part, row), Draft())

    def name(self, rater: str) -> str:
        """The name under which somebody judges as this rater, or ""."""
        return self._names.get(rater, "")

    def sheet(self, part: str, lines: list[dict[str, Any]], text: Mapping[int, str], *, marks: bool) -> list[Any]:
        """The lines of a sheet, filled in."""
        return [line | self.row(part, at).told(text.get(at, ""), marks=marks) for at, line in enumerate(lines)]
