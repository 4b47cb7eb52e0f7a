"""When the rows of a sheet can have been judged: not before they could be seen, and not later than now."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import UTC, datetime, timedelta

from protoc_runtime.adjudication.facts import EXPORTED, JUDGED, SHOWN
from protoc_runtime.adjudication.parts import Part, part_name
from protoc_runtime.chain import Line as Event
from protoc_runtime.record import record

APART = timedelta(minutes=5)  # so far a rater's clock may be from this one


@record
class Window:
    """The first time, with what happened then, and the last."""

    since: datetime
    what: str
    until: datetime


def window(part: Part, needed: Collection[str], finished: str, events: Iterable[Event]) -> Window:
    """Of a part that is not in yet. Rows are there when the run has finished, and those that follow from other parts
    when these are in; where it is recorded that a part is shown, it is judged after that. `events` are of the stage."""
    since, what = _time(finished), "the run had finished"
    shown = []
    for event in events:
        body = event.body
        name = part_name(body.get("judgement", ""), body.get("rater", ""))
        if event.kind == JUDGED and name in needed:
            since, what = max((since, what), (_time(body["at"]), f"{name} was in"))
        elif event.kind in (EXPORTED, SHOWN) and name == part.name:
            shown.append((_time(body["at"]), "it was shown"))
    since, what = max([(since, what), *shown[:1]])
    return Window(since, what, datetime.now(UTC))


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)
