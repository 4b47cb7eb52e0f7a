"""Conditions at one point: for given counts, the outcomes that they can have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from protoc_compiler.proof import nodes as n
from protoc_compiler.proof.conditions import junction
from protoc_compiler.proof.reached import SWAPPED
from protoc_compiler.proof.space import Space

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def outcomes_at(
    space: Space, roots: Iterable[int], counts: Mapping[int, int], told: Mapping[int, int] | None = None
) -> dict[int, int]:
    """The outcomes of nodes where these symbols have these counts; of what depends on others, all that are possible.
    `told`: nodes of which the outcome is known."""
    known: dict[int, int] = dict(told or {})

    def value(number: int) -> int:
        """The outcome of a node by its number, computed once."""
        if number not in known:
            known[number] = computed(space.nodes.all[number])
        return known[number]

    def computed(node: tuple[Any, ...]) -> int:
        """The outcome of a node (a bit of TRUE, FALSE, UNDEFINED) at the given counts."""
        match node:
            case ("const", outcome):
                return int(outcome)
            case ("sign", poly, op):
                return _sign(poly, op, counts)
            case ("not", part):
                return SWAPPED[value(part)]
            case ("in", part, wanted):
                inner = value(part)
                return (n.TRUE if inner & wanted else 0) | (n.FALSE if inner & ~wanted else 0)
            case ("choice", test, then, otherwise):
                taken = value(test)
                made = value(then) if taken & n.TRUE else 0
                return made | (value(otherwise) if taken & n.FALSE else 0) | (taken & n.UNDEFINED)
            case ("and", *parts):
                return junction([value(part) for part in parts], n.FALSE, n.TRUE)
            case ("or", *parts):
                return junction([value(part) for part in parts], n.TRUE, n.FALSE)
            case ("atom", _, outcomes):
                return int(outcomes)
        return n.ANYTHING

    return {root: value(root) for root in roots}


def _sign(poly: n.Poly, op: str, counts: Mapping[int, int]) -> int:
    total = 0
    for monomial, factor in poly:
        for symbol in monomial:
            if symbol not in counts:
                return n.KNOWN
            factor *= counts[symbol]
        total += factor
    return n.TRUE if (total == 0 if op == "==" else total <= 0) else n.FALSE
