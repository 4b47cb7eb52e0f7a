"""The desk of the review room: what each rater may see now, and what a step of theirs does.

A step is recorded in the ledger of the stage before it counts. A part is shown only when everything before it is
locked; locking it takes its sheet by the same road as an imported file.
"""

from __future__ import annotations

import json
from typing import Any

from protoc_runtime.adjudication import keeping
from protoc_runtime.adjudication.facts import SHOWN
from protoc_runtime.adjudication.marks import text_of
from protoc_runtime.adjudication.names import LONGEST_NAME, is_name
from protoc_runtime.adjudication.parts import Part, before, parts
from protoc_runtime.adjudication.sending import secrets
from protoc_runtime.adjudication.sheets import Line, row_text, sheet_bytes, sheet_lines
from protoc_runtime.adjudication.stages import Stage, Told, recorded, sheet_file, told
from protoc_runtime.chain import Line as Event
from protoc_runtime.diagnostics import Findings, Refused
from protoc_runtime.room.drafts import ENTERED, Draft, Drafts
from protoc_runtime.room.labels import labels, numbers
from protoc_runtime.room.steps import Fault, step
from protoc_runtime.securing import loaded

BY = "room"


class Desk:
    """One open stage, its ledger and its drafts. Close it (or use `with`) to let go of the ledger."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self._ledger = keeping.open_ledger(stage)
        self._drafts = Drafts(self._ledger.events())
        self._told: Told = recorded(stage)
        self._lines: dict[str, list[Line]] = {}
        self._numbers: dict[str, dict[str, int]] = {}
        if stage.complete:  # a server that ended before it closed the stage
            self._finish()

    def __enter__(self) -> Desk:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the ledger."""
        self._ledger.close()

    @property
    def complete(self) -> bool:
        """Whether every part is locked."""
        return self.stage.complete

    # --- what a rater sees --------------------------------------------------------------------------------------

    def view(self, rater: str) -> dict[str, Any]:
        """The parts of a rater and how far they are; no row of a part that waits is named."""
        own = [part for part in self.stage.turns if part.rater == rater]
        return {
            "title": self.stage.declared.title,
            "rater": rater,
            "name": self._drafts.name(rater),
            "complete": self.complete,
            "parts": [self._part_view(part) for part in own],
        }

    def _part_view(self, part: Part) -> dict[str, Any]:
        judgement, state = part.judgement, self._state(part)
        head = {"name": judgement.name, "says": judgement.says, "state": state, "marks": bool(judgement.marks)}
        if state == "waiting":
            lacking = [name for name in before(self.stage.declared, part) if name not in self.stage.sheets]
            mine = [name.partition(".")[0] for name in lacking if name.endswith(f".{part.rater}") or "." not in name]
            return head | {"rows": [], "after": mine or ["others"]}
        rows = [self._row_view(part, at, line) for at, line in enumerate(self._of(part))]
        return head | {"rows": rows, "after": []}

    def _row_view(self, part: Part, at: int, line: Line) -> dict[str, Any]:
        told, key = self._answer(part, at, line), row_text(part.judgement, line["key"])
        return {"key": key, "done": self._is_done(part, at), "marks": len(told["marks"]), "label": told["label"]}

    def _answer(self, part: Part, at: int, line: Line) -> dict[str, Any]:
        """What was told of a row so far: in the room, or by a sheet that is in."""
        if part.name in self._told.lines:
            there = self._told.lines[part.name][at]
            return {"marks": there.get("marks") or [], "label": there.get("label", ""), "note": there["note"]}
        draft = self._drafts.row(part.name, at)
        text = text_of(part.judgement, line["sees"]) if part.judgement.marks else ""
        return {"marks": [mark.told(text) for mark in draft.marks], "label": draft.label, "note": draft.note}

    def _state(self, part: Part) -> str:
        if part.name in self.stage.sheets:
            return "locked"
        waits = any(name not in self.stage.sheets for name in before(self.stage.declared, part))
        return "waiting" if waits else "open"

    def row(self, rater: str, judgement: str, at: int) -> dict[str, Any]:
        """One row as its rater sees it: what the sheet shows, the labels, and what was told so far."""
        part, line, draft = self._row(rater, judgement, at)
        shown = json.loads(sheet_bytes([line]), parse_float=str)
        sees = shown["sees"]
        return {
            "part": judgement,
            "row": at,
            "key": row_text(part.judgement, line["key"]),
            "sees": sees,
            "text": part.judgement.marks,
            "labels": labels(part.judgement, sees, self._numbered(part)),
            "choices": part.judgement.choices,
            "answer": self._answer(part, at, line),
            "done": self._is_done(part, at),
            "undo": len(draft.steps),
        }

    # --- what a rater does --------------------------------------------------------------------------------------

    def enter(self, rater: str, name: str) -> None:
        """Somebody says under which name they judge. Raises `Fault`."""
        name = " ".join(name.split())
        if not is_name(name) or len(name) > LONGEST_NAME:
            raise Fault(f"Write your name, in at most {LONGEST_NAME} characters that can be seen.")
        self._record(ENTERED, {"rater": rater, "name": name})

    def show(self, rater: str, judgement: str, at: int) -> dict[str, Any]:
        """A row, after it is recorded that it is shown. Raises `Fault`."""
        part, _, draft = self._row(rater, judgement, at)
        if not draft.shown and self._state(part) == "open":
            self._record(SHOWN, _of(part, at))
        return self.row(rater, judgement, at)

    def act(self, rater: str, judgement: str, at: int, wanted: dict[str, Any]) -> dict[str, Any]:
        """A step on a row that is open. Raises `Fault` with what is wrong with it."""
        part, line, draft = self._row(rater, judgement, at)
        if self._state(part) != "open":
            raise Fault(f"{judgement} is locked; nothing of it can be changed.")
        if not self._drafts.name(rater):
            raise Fault("Write your name first.")
        if not draft.shown:
            raise Fault("This row was not shown yet.")
        kind, body = step(part.judgement, line["sees"], draft, wanted)
        self._record(kind, {**_of(part, at), **body})
        return self.row(rater, judgement, at)

    def lock(self, rater: str, judgement: str) -> dict[str, Any]:
        """Save a part for good, once every row of it is done. Raises `Fault`."""
        part = self._part(rater, judgement)
        if self._state(part) != "open":
            raise Fault(f"{judgement} is locked already.")
        open_rows = [at for at, _ in enumerate(self._of(part)) if not self._is_done(part, at)]
        if open_rows:
            raise Fault(f"{len(open_rows)} of {len(self._of(part))} rows are not done yet.")
        data = sheet_bytes(self._sheet(part))
        self._take(part, data)
        return self.view(rater)

    # --- inside -------------------------------------------------------------------------------------------------

    def _sheet(self, part: Part) -> list[Line]:
        lines = self._of(part)
        texts = {at: text_of(part.judgement, line["sees"]) for at, line in enumerate(lines)}
        marks = bool(part.judgement.marks)
        return self._drafts.sheet(part.name, lines, texts if marks else {}, marks=marks)

    def _take(self, part: Part, data: bytes) -> None:
        new = {part.name: data}
        findings = Findings()
        files = {name: sheet_file(name) for name in {*self.stage.sheets, *new}}
        made = told(self.stage, {**self.stage.sheets, **new}, files, findings)
        findings.extend(secrets(new, files, loaded(self.stage.declared)))
        if findings.failed:
            raise Fault("; ".join(item.message for item in findings.sorted()))
        keeping.keep(self.stage, self._ledger, new, made, by=BY)
        self.stage, self._told = keeping.with_sheets(self.stage, new), made
        if self.stage.complete:
            self._finish()

    def _finish(self) -> None:
        self._ledger.close()
        keeping.close(self.stage, self._told)

    def _record(self, kind: str, body: dict[str, Any]) -> None:
        if self.complete:
            raise Fault("Everything is saved and locked.")
        try:
            ack = self._ledger.append(kind, body)
        except Refused as refused:
            raise Fault("; ".join(item.message for item in refused.diagnostics)) from None
        self._drafts.take(kind, Event(ack.seq, "", kind, {**body, "at": ack.at}, ack.hash))

    def _part(self, rater: str, judgement: str) -> Part:
        for part in parts(self.stage.declared):
            if part.rater == rater and part.judgement.name == judgement:
                if self._state(part) == "waiting":
                    raise Fault(f"{judgement} is shown later.")
                return part
        raise Fault("There is no such judgement.")

    def _row(self, rater: str, judgement: str, at: int) -> tuple[Part, Line, Draft]:
        part = self._part(rater, judgement)
        lines = self._of(part)
        if not 0 <= at < len(lines):
            raise Fault("There is no such row.")
        return part, lines[at], self._drafts.row(part.name, at)

    def _of(self, part: Part) -> list[Line]:
        if part.name not in self._lines:
            stage = self.stage
            self._lines[part.name] = sheet_lines(stage.declared, stage.rules, self._told.tables, stage.digests, part)
        return self._lines[part.name]

    def _numbered(self, part: Part) -> dict[str, int]:
        if part.name not in self._numbers:
            self._numbers[part.name] = numbers(part.judgement, (line["sees"] for line in self._of(part)))
        return self._numbers[part.name]

    def _is_done(self, part: Part, at: int) -> bool:
        return part.name in self.stage.sheets or bool(self._drafts.row(part.name, at).done_at)


def _of(part: Part, at: int) -> dict[str, Any]:
    return {"judgement": part.judgement.name, "rater": part.rater, "row": at}
