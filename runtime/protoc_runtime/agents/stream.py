"""The stream of events that a session writes to its standard output: one JSON object a line, audited against a list.

`thread.started`, `turn.started`, `turn.completed` (with `usage`), `turn.failed` and `error` are the frame. An item
(`item.started`, `item.updated`, `item.completed`) is known by its own type, and occurs only where the protocol allows
it. Whatever else there is, an unreadable line too, is an event that is not allowed: nobody can say what it did.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from protoc_runtime.agents.records import Usage
from protoc_runtime.record import record
from protoc_runtime.strict_json import unique

FRAME = ("thread.started", "turn.started", "turn.completed", "turn.failed", "error")
ITEMS = ("item.started", "item.updated", "item.completed")
MESSAGE, UNREADABLE = "agent_message", "unreadable"
MOST_EVENTS = 20_000
LARGEST_COUNT = 2**53
_KIND = re.compile(r"[A-Za-z0-9_.:/-]{1,80}")
_WHOLE = re.compile(r"0|[1-9][0-9]{0,15}")


class Number(str):
    """A number as it was written."""

    __slots__ = ()


@record
class Event:
    """One event: what it is, and whether it may be."""

    kind: str
    allowed: bool


@record
class Turn:
    """One turn that was reported as `completed` or `failed`. `reported` is its usage as it was written, None where
    there is none; `counts` are those that are known."""

    kind: str
    reported: str | None
    malformed: bool
    counts: Mapping[str, int | None]


@record
class Stream:
    """A whole stream. `message` is the text of the last message of a completed turn; `fault` says why there is none."""

    events: tuple[Event, ...]
    turns: tuple[Turn, ...]
    message: str | None
    fault: str

    @property
    def forbidden(self) -> tuple[str, ...]:
        """The kinds that may not be, in the order in which they occurred."""
        return tuple(dict.fromkeys(event.kind for event in self.events if not event.allowed))


def read_stream(data: bytes, allowed: Iterable[str], usage: tuple[Usage, ...], *, cut: bool = False) -> Stream:
    """Read what a session wrote. `cut`: it was ended from outside, so a last line that is no event is left out."""
    reading = _Reading(frozenset(allowed), usage)
    for line in _lines(data, cut):
        if len(reading.events) >= MOST_EVENTS:
            reading.events.append(Event("too_many_events", False))
            break
        reading.take(line)
    return Stream(tuple(reading.events), tuple(reading.turns), reading.message, reading.told())


def _lines(data: bytes, cut: bool) -> Iterator[bytes]:
    lines = data.split(b"\n")
    if cut and not _object(lines[-1]):
        lines.pop()
    yield from (line for line in lines if line.strip())


class _Reading:
    """What is known of a stream so far."""

    def __init__(self, allowed: frozenset[str], usage: tuple[Usage, ...]) -> None:
        self._allowed, self._usage = allowed, usage
        self.events: list[Event] = []
        self.turns: list[Turn] = []
        self.message: str | None = None
        self._said: str | None = None
        self._error = ""

    def take(self, line: bytes) -> None:
        """One line."""
        event = _object(line)
        kind = _kind(event)
        item = event.get("item") if kind in ITEMS else None
        known = kind in FRAME
        if kind in ITEMS:
            kind = _kind(item)
            known = kind in self._allowed
        self.events.append(Event(kind, known))
        if kind == MESSAGE and event.get("type") == "item.completed":
            text = item.get("text") if isinstance(item, dict) else None
            self._said = text if isinstance(text, str) and not isinstance(text, Number) else None
        elif kind in ("turn.completed", "turn.failed"):
            self._turn(kind, event)
        elif kind == "error" and known and event.get("type") == "error":
            self.message, self._error = None, _words(event.get("message"))

    def _turn(self, kind: str, event: Mapping[str, Any]) -> None:
        completed = kind == "turn.completed"
        self.turns.append(turn("completed" if completed else "failed", event.get("usage"), self._usage))
        if completed:
            self.message, self._error = self._said, ""
        else:
            error = event.get("error")
            self.message, self._error = None, _words(error.get("message") if isinstance(error, dict) else error)

    def told(self) -> str:
        """Why there is no answer, or ""."""
        if self._error:
            return f"the session told of an error: {self._error}"
        if not any(turn.kind == "completed" for turn in self.turns):
            return "the session told of no failure, and of no completed turn"
        if self.turns[-1].kind == "failed":
            return "the last turn failed"
        return "" if self.message is not None else "the session gave no message"


def turn(kind: str, usage: Any, declared: tuple[Usage, ...]) -> Turn:
    """What a turn reports: each count as it is written, or unknown. A text, a negative number or a fraction is none."""
    if usage is None:
        return Turn(kind, None, False, {each.name: None for each in declared})
    fields = usage if isinstance(usage, dict) else {}
    counts = {each.name: _count(fields.get(each.field)) for each in declared}
    bad = any(fields.get(each.field) is not None and counts[each.name] is None for each in declared)
    try:
        reported = "".join(_written(usage))
    except RecursionError:
        reported = "\ud800"  # what nobody can write either
    whole = _encodable(reported)
    return Turn(kind, reported if whole else None, bad or not isinstance(usage, dict) or not whole, counts)


def _count(value: Any) -> int | None:
    if not isinstance(value, Number) or not _WHOLE.fullmatch(value):
        return None
    return int(value) if int(value) <= LARGEST_COUNT else None


def _object(line: bytes) -> Mapping[str, Any]:
    """The object of a line; an empty one if it is none."""
    try:
        value = json.loads(
            line.decode("utf-8"),
            parse_int=Number,
            parse_float=Number,
            parse_constant=_refuse,
            object_pairs_hook=unique,
        )
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _kind(event: Any) -> str:
    kind = event.get("type") if isinstance(event, dict) else None
    plain = isinstance(kind, str) and not isinstance(kind, Number) and _KIND.fullmatch(kind)
    return str(kind) if plain else UNREADABLE


def _refuse(text: str) -> Any:
    raise ValueError(text)


def _written(value: Any) -> Iterator[str]:
    """JSON with every number as it was written."""
    if isinstance(value, Number):
        yield str(value)
    elif isinstance(value, dict):
        yield "{"
        for place, (name, item) in enumerate(value.items()):
            yield f"{', ' if place else ''}{json.dumps(name, ensure_ascii=False)}: "
            yield from _written(item)
        yield "}"
    elif isinstance(value, list):
        yield "["
        for place, item in enumerate(value):
            yield ", " if place else ""
            yield from _written(item)
        yield "]"
    else:
        yield json.dumps(value, ensure_ascii=False)


def _encodable(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _words(value: Any) -> str:
    """A message of the session, short, on one line, and only characters that can be written."""
    text = value if isinstance(value, str) else "(without words)"
    return " ".join(text.encode("utf-8", "replace").decode().split())[:200] or "(without words)"
