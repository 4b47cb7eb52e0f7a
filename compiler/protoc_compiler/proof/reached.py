"""What of a space a question reaches: the nodes that wanted outcomes depend on, and what these must be in turn."""

from __future__ import annotations

from protoc_compiler.proof import nodes as n
from protoc_compiler.proof.space import Space

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

Wanted = dict[int, int]
SWAPPED = [0, 2, 1, 3, 4, 6, 5, 7]  # by a set of outcomes (as bits): those of the contrary


def cone(space: Space, wanted: Wanted) -> list[int]:
    """The nodes that these depend on, conditions on single groups left out, in ascending order."""
    found: set[int] = set()
    waiting = list(wanted)
    while waiting:
        number = waiting.pop()
        if number in found:
            continue
        found.add(number)
        waiting += children(space.nodes.all[number])
    return sorted(found)


def children(node: tuple[Any, ...]) -> list[int]:
    """The nodes that a node reads at the level of the study."""
    if node[0] in ("and", "or", "not", "choice"):
        return list(node[1:])
    return [node[1]] if node[0] == "in" else []


def bare(space: Space, wanted: Wanted) -> Wanted:
    """The same wanted outcomes, told of the parts on which alone they depend: what a verdict with one condition says,
    its condition says."""
    made: Wanted = {}
    waiting = list(wanted.items())
    while waiting:
        number, outcomes = waiting.pop()
        node = space.nodes.all[number]
        if node[0] == "in":
            others = n.ANYTHING & ~node[2]
            waiting.append((node[1], (node[2] if outcomes & n.TRUE else 0) | (others if outcomes & n.FALSE else 0)))
        elif node[0] == "not":
            waiting.append((node[1], SWAPPED[outcomes]))
        elif node[0] == "choice" and node[2:] == (space.nodes.true, space.nodes.false):
            waiting.append((node[1], outcomes))
        elif (node[0], outcomes) in (("and", n.TRUE), ("or", n.FALSE)):
            waiting += [(part, outcomes) for part in node[1:]]
        else:
            made[number] = made.get(number, n.ANYTHING) & outcomes
    return {number: outcomes for number, outcomes in made.items() if outcomes != n.ANYTHING}


def spread(space: Space, wanted: Wanted) -> bool:
    """Wanted outcomes of parts that follow from those of wholes; False if some have none left."""
    waiting = sorted(wanted, reverse=True)
    while waiting:
        number = waiting.pop(0)
        for part, outcomes in _implied(space, space.nodes.all[number], wanted[number]):
            before = wanted.get(part, n.ANYTHING)
            if before & outcomes != before:
                wanted[part] = before & outcomes
                waiting.append(part)
            if not wanted.get(part, n.ANYTHING):
                return False
    return True


def _implied(space: Space, node: tuple[Any, ...], outcomes: int) -> list[tuple[int, int]]:
    op = node[0]
    if op == "not":
        return [(node[1], SWAPPED[outcomes])]
    if op == "in":
        inside = (node[2] if outcomes & n.TRUE else 0) | (n.ANYTHING & ~node[2] if outcomes & n.FALSE else 0)
        return [(node[1], inside)]
    if op in ("and", "or"):
        deciding = n.FALSE if op == "and" else n.TRUE
        if not outcomes & deciding:
            neutral = n.KNOWN & ~deciding
            kept = (outcomes & (neutral | n.UNDEFINED)) | neutral
            return [(part, kept if outcomes & n.UNDEFINED else neutral) for part in node[1:]]
        return []
    return _of_choice(space, node, outcomes) if op == "choice" else []


def _of_choice(space: Space, node: tuple[Any, ...], outcomes: int) -> list[tuple[int, int]]:
    """A branch that can only have outcomes which are not wanted is not taken."""
    _, test, then, otherwise = node
    kept = n.ANYTHING if outcomes & n.UNDEFINED else n.KNOWN
    for branch, taken in ((then, n.TRUE), (otherwise, n.FALSE)):
        known = space.nodes.all[branch]
        if known[0] == "const" and not known[1] & outcomes:
            kept &= ~taken
    made = [(test, kept)]
    if kept == n.TRUE:
        made.append((then, outcomes))
    if kept == n.FALSE:
        made.append((otherwise, outcomes))
    return made
