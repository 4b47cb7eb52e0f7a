"""One step of a rater: what was asked for, checked, and the event that records it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from protoc_runtime.adjudication.importing import LONGEST
from protoc_runtime.adjudication.marks import MOST, choices, text_of
from protoc_runtime.procedure import Judgement
from protoc_runtime.room.drafts import DONE, LABELLED, MARKED, NOTED, UNDONE, UNMARKED, Draft


class Fault(Exception):
    """A step that is not taken; its words are for the rater."""


def step(
    judgement: Judgement, sees: Mapping[str, Any], draft: Draft, wanted: Mapping[str, Any]
) -> tuple[str, dict[str, Any]]:
    """The kind and body of the event for what is wanted. Raises `Fault`."""
    act = wanted.get("act")
    if act == "undo":
        if not draft.steps:
            raise Fault("There is nothing to undo on this row.")
        return UNDONE, {}
    if act == "note":
        return NOTED, {"note": _text(wanted, "note")}
    if act == "label" and not judgement.marks:
        return LABELLED, {"label": _label(judgement, sees, wanted)}
    if act in ("mark", "unmark") and judgement.marks:
        return _mark(judgement, sees, draft, wanted)
    if act == "done" and judgement.marks:
        return DONE, {}
    raise Fault("This cannot be done here.")


def _mark(
    judgement: Judgement, sees: Mapping[str, Any], draft: Draft, wanted: Mapping[str, Any]
) -> tuple[str, dict[str, Any]]:
    start, end = wanted.get("start"), wanted.get("end")
    length = len(text_of(judgement, sees))
    if type(start) is not int or type(end) is not int or not 0 <= start < end <= length:
        raise Fault("Select a passage of the text first.")
    place = {"start": start, "end": end, "label": _label(judgement, sees, wanted)}
    there = any((mark.start, mark.end, mark.label) == (start, end, place["label"]) for mark in draft.marks)
    if wanted["act"] == "unmark":
        if not there:
            raise Fault("This mark is not there any more.")
        return UNMARKED, place
    if there:
        raise Fault("This passage has that label already.")
    if len(draft.marks) >= MOST:
        raise Fault(f"A text has at most {MOST} marks.")
    return MARKED, place


def _label(judgement: Judgement, sees: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    label = wanted.get("label")
    if not isinstance(label, str) or label not in choices(judgement, sees):
        raise Fault("This is none of the labels.")
    return label


def _text(wanted: Mapping[str, Any], name: str) -> str:
    text = wanted.get(name)
    if not isinstance(text, str) or len(text) > LONGEST or not _encodes(text):
        raise Fault(f"A note is text of at most {LONGEST} characters.")
    return text


def _encodes(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
