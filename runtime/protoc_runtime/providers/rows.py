"""The ledger's attempts as the tables and records that a protocol declares `from: ledger of PROVIDER`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from protoc_runtime.chain import Line
from protoc_runtime.observing import ProviderCalls
from protoc_runtime.procedure import Provider
from protoc_runtime.providers.attempts import BEGUN, ENDED, REFUSED, USABLE
from protoc_runtime.record import record

SOURCE = "provider"  # whatever passes the gateway is sent: nothing here makes answers up
MICROSECONDS = 10**6


@record
class Calls:
    """What a ledger tells of one provider. `attempts` are all that were begun or refused; `calls` only those calls of
    which something was sent; `cost` sums the counts of every answer, failed ones included."""

    attempts: int
    calls: int
    refused: int
    cost: Mapping[str, int]
    usable: bool


def attempt_rows(events: Iterable[Line], provider: str, keys: Mapping[str, Any]) -> list[dict[str, Any]]:
    """One row (`observed.ATTEMPTS`) per attempt at a provider, by case in the order of `keys` and by `n`.

    A begin without an end is a row with the error `unfinished`; a refused request one with the error `refused`.
    """
    begun: dict[tuple[str, int], Mapping[str, Any]] = {}
    ended: dict[tuple[str, int], Mapping[str, Any]] = {}
    for event in events:
        body = event.body
        if event.kind in (BEGUN, ENDED, REFUSED) and body["provider"] == provider and body["case"] is not None:
            (ended if event.kind == ENDED else begun)[body["case"], body["n"]] = body
    order = {case: number for number, case in enumerate(keys)}
    rows: list[dict[str, Any]] = []
    before: dict[tuple[str, int], Mapping[str, Any] | None] = {}
    for place in sorted(begun, key=lambda place: (order[place[0]], place[1])):
        call = (place[0], begun[place]["call"])
        row = _row(begun[place], ended.get(place), before.get(call))
        rows.append({"case": keys[place[0]], **row})
        before[call] = ended.get(place)
    return rows


def observed_calls(
    events: Sequence[Line], providers: Iterable[Provider], keys: Mapping[str, Any]
) -> dict[str, ProviderCalls]:
    """What a ledger tells of each provider, as a run's closing takes it."""
    made = {}
    for provider in providers:
        told = calls(events, provider.name)
        rows = tuple(attempt_rows(events, provider.name, keys))
        made[provider.name] = ProviderCalls(told.attempts, told.calls, told.usable, rows)
    return made


def _row(begun: Mapping[str, Any], ended: Mapping[str, Any] | None, before: Mapping[str, Any] | None) -> dict[str, Any]:
    end = ended or {"error": "refused" if "reason" in begun else "unfinished"}
    retried = before is not None and before["retried"]
    return {
        "n": begun["n"],
        "call": begun["call"],
        "status": end.get("status"),
        "error": end["error"],
        "retry_reason": before["retry_cause"] if before and retried else None,
        "waited": Fraction(before["wait"]) if before and retried else Fraction(0),
        "model": end.get("model") or begun["model"],
        "source": SOURCE,
        "vector_dimension": end.get("dimension"),
        "acceptable": end.get("acceptable", False),
        "bytes": end.get("answer_bytes"),
        "wall": None if ended is None else Fraction(ended["mono"] - begun["mono"], MICROSECONDS),
    }


def calls(events: Iterable[Line], provider: str) -> Calls:
    """The counters of one provider."""
    attempts, refused, usable = 0, 0, False
    sent: set[tuple[str, int]] = set()
    cost: Counter[str] = Counter()
    for event in events:
        body = event.body
        if event.kind not in (BEGUN, ENDED, REFUSED, USABLE) or body["provider"] != provider:
            continue
        attempts += event.kind in (BEGUN, REFUSED)
        refused += event.kind == REFUSED
        if event.kind == BEGUN:
            sent.add((body["case"], body["call"]))
        elif event.kind == ENDED:
            cost.update(body.get("cost", {}))
        elif event.kind == USABLE:
            usable = body["usable"]
    return Calls(attempts, len(sent), refused, dict(sorted(cost.items())), usable)
