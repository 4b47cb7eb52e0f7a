"""A router over operations: one registered operation, or none.

A route needs a verb and an object that one operation has together. The route authority is the local registry alone:
the scorer proposes, the verifier may veto, and neither can execute what is not registered. When the winner is vetoed
or scores below the threshold, nothing is executed: the second best is never tried.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from backend import matched, words

REGISTRY: dict[str, Any] = json.loads((Path(__file__).parent / "operations.json").read_text(encoding="utf-8"))
OPERATIONS: dict[str, Any] = REGISTRY["operations"]
FOREIGN = frozenset(REGISTRY["foreign"])
THRESHOLD = 95  # hundredths: the frozen decision threshold


def route(case: dict[str, Any]) -> dict[str, Any]:
    """The decision about one query."""
    query = case["query"]
    verbs, objects = matched(query, REGISTRY["verbs"]), matched(query, REGISTRY["objects"])
    winner, score = propose(verbs, objects)
    vetoed = winner is not None and veto(query)
    executes = winner is not None and not vetoed and score >= THRESHOLD
    return {
        "decisions": {
            "predicted": winner,
            "supported_probability": score / 100,
            "winner_rejected": winner is not None and not executes,
            "selected": winner if executes else None,
            "granted_by": "registry" if executes else "nobody",
            "authority_violation": executes and winner not in OPERATIONS,
            "error": None,
        }
    }


def propose(verbs: list[str], objects: list[str]) -> tuple[str | None, int]:
    """The best operation with its score in hundredths; ties go to the first registered one."""
    scored = [(score(operation, verbs, objects), name) for name, operation in OPERATIONS.items()]
    best = max(points for points, _ in scored)
    return (next(name for points, name in scored if points == best), best) if best else (None, 0)


def score(operation: dict[str, Any], verbs: list[str], objects: list[str]) -> int:
    """How well an operation fits, in hundredths: its object and one of its verbs, first named, nothing beside."""
    if operation["object"] not in objects:
        return 0
    if not set(verbs) & set(operation["verbs"]):
        return 40
    points = 99
    points -= 2 * (len(objects) - 1)
    points -= 20 * objects.index(operation["object"])
    points -= 3 * min(verbs.index(verb) for verb in operation["verbs"] if verb in verbs)
    return max(points, 0)


def veto(query: str) -> bool:
    """Whether the verifier takes the winner back: the query asks for an action that nothing registered does."""
    return not FOREIGN.isdisjoint(words(query))
