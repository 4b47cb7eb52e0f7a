"""What a ledger tells of an agent's sessions, as the tables that a protocol declares for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from protoc_runtime.agents.records import Session
from protoc_runtime.agents.session import BEGUN, CONFIGURED, ENDED
from protoc_runtime.chain import Line

MICROSECONDS = 10**6
UNFINISHED = "its session was cut off by an interruption"
Rows = list[dict[str, Any]]


def session_rows(events: Iterable[Line], session: Session, keys: Mapping[str, Any]) -> dict[str, Rows]:
    """The rows of the three sources, by source, in the order of the cases and of their sessions."""
    told = _Told(events)
    found = sorted((case for case in told.begun if case[0] in keys), key=_place(keys))
    return {
        "ledger of subject": [_call(told, session, case, keys) for case in found],
        "events of subject": list(_events(told, found, keys)),
        "turns of subject": list(_turns(told, session, found, keys)),
    }


class _Told:
    """The bodies of the ledger's events, by case and number of its session."""

    def __init__(self, events: Iterable[Line]) -> None:
        self.configured: dict[tuple[str, int], Mapping[str, Any]] = {}
        self.begun: dict[tuple[str, int], Mapping[str, Any]] = {}
        self.ended: dict[tuple[str, int], Mapping[str, Any]] = {}
        kinds = {CONFIGURED: self.configured, BEGUN: self.begun, ENDED: self.ended}
        for event in events:
            if event.kind in kinds:
                kinds[event.kind][event.body["case"], event.body["n"]] = event.body


def _place(keys: Mapping[str, Any]) -> Any:
    order = {case: number for number, case in enumerate(keys)}
    return lambda case: (order[case[0]], case[1])


def _call(told: _Told, session: Session, case: tuple[str, int], keys: Mapping[str, Any]) -> dict[str, Any]:
    begun, ended, read = told.begun[case], told.ended.get(case), told.configured.get(case)
    wall = None if ended is None or ended["wall_us"] is None else Fraction(ended["wall_us"], MICROSECONDS)
    return {
        "case": keys[case[0]],
        "n": case[1],
        "started_at": begun["at"],
        "verified_at": None if read is None else read["at"],
        "prompt": begun.get("prompt", ""),
        "at_once": begun["at_once"],
        "sandboxed": begun["sandboxed"],
        "wall": wall,
        "failed": ended is None or ended["failed"],
        "reason": UNFINISHED if ended is None else ended["reason"] or None,
        **{each.name: None if read is None else read["values"].get(each.name) for each in session.configured},
    }


def _events(told: _Told, found: list[tuple[str, int]], keys: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for case, events in _joined(told, found, "events"):
        for n, (kind, allowed) in enumerate(events, 1):
            yield {"case": keys[case], "n": n, "kind": kind, "allowed": allowed}


def _turns(
    told: _Told, session: Session, found: list[tuple[str, int]], keys: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    for case, turns in _joined(told, found, "turns"):
        for n, turn in enumerate(turns, 1):
            counts = {each.name: turn["counts"].get(each.name) for each in session.usage}
            about = {name: turn[name] for name in ("kind", "reported", "malformed")}
            yield {"case": keys[case], "n": n, **about, **counts}


def _joined(told: _Told, found: list[tuple[str, int]], part: str) -> Iterator[tuple[str, list[Any]]]:
    """The events or turns of all sessions of a case."""
    made: dict[str, list[Any]] = {}
    for case in found:
        ended = told.ended.get(case)
        made.setdefault(case[0], []).extend(() if ended is None else ended[part])
    yield from made.items()
