"""Exhaustive search over whole numbers: branch and bound on boxes, with sets of outcomes for conditions.

In a box every variable has a stretch of values. A condition gets the set of outcomes that it can have in the box (or
more, never fewer); a box in which a wanted outcome is impossible is left, and one in which all wanted outcomes are
certain is an answer. Boxes are taken in the order of their least number of errors, so that the first answer is a
smallest one; when no box is left, there is none: that is a proof.
"""

from __future__ import annotations

import heapq
from itertools import count

from protoc_compiler.proof import nodes as n
from protoc_compiler.proof.conditions import Box, Budget, Conditions, Given
from protoc_runtime.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol
else:
    Protocol = object


class Reach(Protocol):
    """Which sums are attainable by groups."""

    def meets(self, box: Box) -> bool:
        """Whether some attainable sum lies in the box."""

    def undecided(self, box: Box) -> int | None:
        """A variable on which it still depends which sum it is; None when the box has one sum."""


@record
class Found:
    """An answer: the variables, and what was chosen for atoms (outcomes) and terms (values)."""

    point: tuple[int, ...]
    given: Given
    errors: int


def search(
    conditions: Conditions, start: Box, weights: list[int], budget: Budget, reach: Reach | None = None,
    most: bool = False, better: int | None = None,
) -> Found | None:  # fmt: skip
    """The answer with the fewest errors (or the most), or None: there is none (or none that is better than a number of
    errors). Raises `OutOfBudget`."""
    if conditions.impossible():
        return None
    tie = count(0, -1)  # of boxes that promise the same, the last one first: deep before wide

    def bound(box: Box) -> int:
        """What the best point of the box can reach at most; the search looks into the largest first."""
        return -_errors(box[1], weights) if most else _errors(box[0], weights)

    heap: list[tuple[int, int, Box, Given]] = [(bound(start), next(tie), start, conditions.known)]
    while heap:
        promised, _, wide, given = heapq.heappop(heap)
        if better is not None and promised >= (-better if most else better):
            return None
        budget.spend()
        box = conditions.tightened(wide)
        if box is None:
            continue
        errors = bound(box)
        if heap and errors > heap[0][0] and errors > bound(wide):
            heapq.heappush(heap, (errors, next(tie), box, given))  # others may have fewer now
            continue
        if conditions.outcomes(box, given) is None or (reach is not None and not reach.meets(box)):
            continue
        leaf = conditions.open_leaf(box, given)
        if leaf is None and reach is not None:
            still = reach.undecided(box)
            leaf = None if still is None else ("variable", still)
        if leaf is None:
            return Found(box[1] if most else box[0], given, abs(errors))
        for low, high, chosen in _split(conditions, box, given, leaf):
            heapq.heappush(heap, (bound((low, high)), next(tie), (low, high), chosen))
    return None


def _split(
    conditions: Conditions, box: Box, given: Given, leaf: tuple[str, Any]
) -> list[tuple[tuple[int, ...], tuple[int, ...], Given]]:
    low, high = box
    kind, what = leaf
    if kind == "variable":
        middle = (low[what] + high[what]) // 2
        below = (*high[:what], middle, *high[what + 1 :])
        above = (*low[:what], middle + 1, *low[what + 1 :])
        return [(low, below, given), (above, high, given)]
    if kind == "term":
        domain = given.get(leaf, conditions.space.term_domain(what))
        return [(low, high, {**given, leaf: (value,)}) for value in domain]
    outcomes = given.get(leaf, n.ANYTHING)
    return [(low, high, {**given, leaf: outcome}) for outcome in (n.TRUE, n.FALSE, n.UNDEFINED) if outcome & outcomes]


def _errors(low: tuple[int, ...], weights: list[int]) -> int:
    return sum(value for value, weight in zip(low, weights, strict=True) if weight)
