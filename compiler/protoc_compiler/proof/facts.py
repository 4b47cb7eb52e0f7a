"""What can be said of the gates of one protocol without any data.

For each gate (and each condition that it joins): whether it can hold, whether it can fail, whether the others imply it.
For all of them together: which ones suffice, and how many errors a pass allows.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from protoc_compiler import core
from protoc_compiler.proof import nodes as n
from protoc_compiler.proof.ask import Chosen, Engine, Outcome, TooMany, deep, features_of
from protoc_compiler.proof.conditions import Budget
from protoc_compiler.proof.reached import Wanted
from protoc_compiler.proof.rules import Side
from protoc_compiler.proof.space import Space
from protoc_runtime.record import record

BUDGET = 20_000


@record
class Part:
    """A condition of a gate: its name (`P2.8`, or `P2.8 part 2` where a gate joins several), its gate, and its node."""

    name: str
    gate: str
    node: int


class Facts:
    """The gates of one protocol."""

    def __init__(self, protocol: core.Protocol, budget: int = BUDGET) -> None:
        self.protocol = protocol
        self.space = Space({table.name: table for table in protocol.tables})
        self.side = Side(protocol, self.space)
        self.budget = budget
        self._engines: dict[tuple[tuple[str, frozenset[int]], ...], Engine | None] = {}

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """Every condition of every gate."""
        made = []
        for item in self.protocol.of("gates"):
            nodes = list(dict.fromkeys(_joined(self.space, self.side.good("gates", item.name))))
            for at, node in enumerate(nodes):
                name = item.name if len(nodes) == 1 else f"{item.name} part {at + 1}"
                made.append(Part(name, item.name, node))
        return tuple(made)

    @cached_property
    def counted(self) -> tuple[Part, ...]:
        """The conditions that are about the counts that most of them are about: those of one confusion matrix, say."""
        read = {part.node: self._features(part.node) for part in self.parts}
        best: tuple[int, tuple[Part, ...]] = (0, ())
        for chosen in read.values():
            inside = tuple(part for part in self.parts if read[part.node] and _within(read[part.node], chosen))
            size = sum(map(len, chosen.values()))
            score = 8 * len(inside) - 3 * 2 ** min(size, 20)  # each feature doubles the kinds of rows
            if inside and (not best[1] or score > best[0]):
                best = (score, inside)
        return best[1]

    @cached_property
    def engine(self) -> Engine | None:
        """The engine that counts what these conditions are about."""
        chosen: Chosen = {}
        for part in self.counted:
            for root, used in self._features(part.node).items():
                chosen[root] = chosen.get(root, frozenset()) | used
        return self.engine_of(chosen) if chosen else None

    def engine_of(self, chosen: Chosen) -> Engine | None:
        """An engine that counts these features and those that the expectations speak of; None if there are too many."""
        whole = dict(chosen)
        expected = features_of(self.space, deep(self.space, self.side.expected))
        for root, used in expected.items():
            if root in whole:
                whole[root] = whole[root] | used
        key = tuple(sorted(whole.items()))
        if key not in self._engines:
            try:
                self._engines[key] = Engine(
                    self.space, whole, self.side.expected, self.side.rules(), [part.node for part in self.parts]
                )
            except TooMany:
                self._engines[key] = None
        return self._engines[key]

    def engine_for(self, node: int) -> Engine | None:
        """The engine that counts what a condition is about: that of most conditions, or one of its own."""
        shared = any(part.node == node for part in self.counted)
        return self.engine if shared else self.engine_of(self._features(node))

    def _features(self, node: int) -> Chosen:
        return features_of(self.space, deep(self.space, [node]))

    def ask(self, engine: Engine | None, wanted: Wanted, most: bool = False) -> Outcome:
        """A question with a budget of its own."""
        if engine is None:
            return Outcome("open", None, "there are too many kinds of rows")
        return engine.ask(wanted, Budget(self.budget), most, light=True)

    # --- conditions -----------------------------------------------------------------------------------------

    def follows(self, part: Part, others: list[Part]) -> bool:
        """Whether a condition is proved to follow from others."""
        return self.ask(self.engine, without(part, others)).state == "impossible"

    def core(self) -> tuple[Part, ...]:
        """Conditions from which all counted ones follow, none of which can be left out."""
        kept = list(self.counted)
        for part in self.counted:
            fewer = [other for other in kept if other is not part]
            if self.follows(part, fewer):
                kept = fewer
        return tuple(kept)

    def most_errors(self) -> Outcome:
        """The most errors with which all counted conditions hold."""
        return self.ask(self.engine, dict.fromkeys([part.node for part in self.counted], n.TRUE), most=True)

    def all_hold(self) -> Outcome:
        """Whether all counted conditions can hold together."""
        return self.ask(self.engine, dict.fromkeys([part.node for part in self.counted], n.TRUE))

    def verdict(self, word: str) -> Outcome:
        """Whether the verdict can be this word."""
        return self.ask(self.engine or self.engine_of({}), {self.side.verdict(frozenset([word])): n.TRUE})


def without(part: Part, others: list[Part]) -> dict[int, int]:
    """The outcomes of which none is possible where a condition follows from others."""
    return {part.node: n.FALSE} | dict.fromkeys([other.node for other in others], n.TRUE)


def _within(one: Chosen, other: Chosen) -> bool:
    return all(used <= other.get(root, frozenset()) for root, used in one.items())


def _joined(space: Space, node: int) -> Iterator[int]:
    """The conditions that must all be true where this one is true."""
    kind = space.nodes.all[node]
    if kind[0] == "and":
        for part in kind[1:]:
            yield from _joined(space, part)
    elif kind[0] == "in" and kind[2] == n.TRUE:
        for part in _true_parts(space, kind[1]):
            yield space.nodes.outcome(part, n.TRUE)
    else:
        yield node


def _true_parts(space: Space, node: int) -> Iterator[int]:
    kind = space.nodes.all[node]
    if kind[0] == "and":
        for part in kind[1:]:
            yield from _true_parts(space, part)
        return
    inner = space.nodes.all[kind[1]] if kind[0] == "not" else kind
    if kind[0] == "not" and inner[0] == "or":
        for part in inner[1:]:
            yield from _true_parts(space, space.nodes.negated(part))
    elif kind[0] == "not" and inner[0] == "group" and space.nodes.all[inner[4]][0] == "or":
        for part in space.nodes.all[inner[4]][1:]:
            yield space.nodes.negated(space.nodes.add("group", inner[1], "some", inner[3], part))
    elif kind[0] == "group" and kind[2] == "all" and space.nodes.all[kind[4]][0] == "and":
        for part in space.nodes.all[kind[4]][1:]:
            yield space.nodes.add("group", kind[1], "all", kind[3], part)
    else:
        yield node
