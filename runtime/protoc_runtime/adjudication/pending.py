"""Results before people have judged: what waits for them has no value, and the verdict so far is `PENDING`.

Which values wait is a property of the protocol: whatever reads, through whatever names, a column that people fill.
"""

from __future__ import annotations

from collections.abc import Iterator

from protoc_runtime.declared import Declared
from protoc_runtime.record import replace
from protoc_runtime.results import SPACES, Results

PENDING = "PENDING"


def pending(declared: Declared, results: Results) -> Results:
    """The results without the values that wait for judgements.

    A blocker that waits for none and has fired decides already, as the rules say; nothing is released before the last
    judgement is told.
    """
    waiting = {space: tuple(_waiting(declared, results, space)) for space in SPACES}
    waiting = {space: names for space, names in waiting.items() if names}
    values = {
        space: {name: None if name in names else value for name, value in getattr(results, space).items()}
        for space, names in waiting.items()
    }
    reasons = tuple(reason for reason in results.reasons if reason.name not in waiting.get(reason.space, ()))
    decided = any(reason.space == "blockers" for reason in reasons)
    hidden = {f"{space}.{name}" for space, names in waiting.items() for name in names}
    return replace(
        results,
        **values,
        verdict=results.verdict if decided else PENDING,
        released=False,
        reasons=tuple(reason for reason in reasons if decided or reason.space != "verdict"),
        withheld=tuple(name for name in results.withheld if name not in hidden),
        pending=waiting,
    )


def _waiting(declared: Declared, results: Results, space: str) -> Iterator[str]:
    items = {item.name for item in declared.of(space) if item.judgements}
    yield from (name for name, item in results.items.get(space, {}).items() if item in items)
