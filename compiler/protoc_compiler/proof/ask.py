"""Asks whether wanted outcomes can occur together, looking at more of the protocol until the answer is safe.

At first only the conditions in question are counted, and all others are left open: if that is impossible already, it
is impossible, and proved. Else more conditions are counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from protoc_compiler.proof import nodes as n
from protoc_compiler.proof.conditions import Box, Budget, Conditions, Given, OutOfBudget
from protoc_compiler.proof.features import TooMany
from protoc_compiler.proof.groups import Groups, NotCountable, Vector
from protoc_compiler.proof.model import Model
from protoc_compiler.proof.points import outcomes_at
from protoc_compiler.proof.reached import Wanted, cone
from protoc_compiler.proof.search import Found, search
from protoc_compiler.proof.space import Space
from protoc_compiler.proof.sums import Attainable, Sums
from protoc_runtime.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal

_TOO_MUCH = "the work that is allowed did not suffice"
Chosen = dict[str, frozenset[int]]


@record
class Possible:
    """Counts that have the wanted outcomes, as far as the model looks: rows of each class, by group if there are any,
    and the outcomes and values that were chosen for what is not counted."""

    model: Model
    groups: tuple[tuple[int, ...], ...]  # by group the rows of each class of the groups
    grouping: Groups | None
    point: tuple[int, ...]
    given: Given
    errors: int

    def rows(self) -> dict[str, list[int]]:
        """By table the number of rows of each class."""
        made = {}
        for root, population in self.model.populations.items():
            made[root] = [_at(one.form, self.point) for one in population.classes]
        return made

    def counts(self) -> dict[int, int]:
        """The count of every symbol that is told."""
        return {symbol: _at(form, self.point) for symbol, form in self.model.counts.items()}


@record
class Outcome:
    """What came of a question: impossible (proved), possible, or open, with the reason."""

    state: Literal["impossible", "possible", "open"]
    found: Possible | None = None
    reason: str = ""


class Engine:
    """Answers questions about the conditions of one space, counting the features that it was given."""

    def __init__(
        self, space: Space, chosen: Chosen, constraints: Iterable[int], rules: Mapping[int, int],
        more: Iterable[int] = (),
    ) -> None:  # fmt: skip
        """`rules`: nodes with the outcome that is good for a system, by which errors are told from hits; `more`: other
        nodes that will be asked for.

        Raises `TooMany`."""
        self.space = space
        self.model = Model(space, chosen, constraints)
        self.rules, self.more = dict(rules), tuple(more)
        self.reason = ""
        self.model.settle(
            {
                root: [self._first(root, block) for block in range(one.blocks)]
                for root, one in self.model.populations.items()
            }
        )
        self.model.settle(self._defaults())
        self.groups = self._grouped()
        self.constraints = [c for c in self.model.constraints if self._told(c)]

    def _first(self, root: str, block: int) -> int:
        return next(at for at, one in enumerate(self.model.populations[root].classes) if one.block == block)

    # --- which classes are errors ---------------------------------------------------------------------------

    def _defaults(self) -> dict[str, list[int]]:
        """The class of each block that lets most rules be as they should, when all rows of the block are in it; of
        several the one that does so by itself, where there are no rows of other blocks."""
        chosen = {root: list(one.defaults) for root, one in self.model.populations.items()}
        for _ in range(2):
            for root, population in self.model.populations.items():
                for block in range(population.blocks):
                    inside = [at for at, one in enumerate(population.classes) if one.block == block]
                    if len(inside) > 1:
                        scores = [
                            (self._score(chosen, root, block, at), self._score(chosen, root, block, at, alone=True))
                            for at in inside
                        ]
                        chosen[root][block] = inside[scores.index(max(scores))]
        return chosen

    def _score(self, chosen: dict[str, list[int]], root: str, block: int, at: int, *, alone: bool = False) -> int:
        counts: dict[int, int] = {}
        for name, population in self.model.populations.items():
            total = self.model.total(name) or 2 * population.blocks
            share = max(1, total // population.blocks)
            inside = list(chosen[name])
            if name == root:
                inside[block] = at
                inside = [at] if alone else inside
            for symbol in population.tests:
                if not self.space.symbols[symbol].scope:
                    counts[symbol] = sum(share for one in inside if symbol in population.classes[one].symbols)
        seen = outcomes_at(self.space, self.rules, counts)
        return sum((2 if seen[node] == good else 1) for node, good in self.rules.items() if seen[node] & good)

    # --- groups ---------------------------------------------------------------------------------------------

    def _grouped(self) -> Groups | None:
        """The groups that are counted: of the first grouping that a rule speaks of."""
        names = []
        for number in cone(self.space, dict.fromkeys([*self.rules, *self.more, *self.model.constraints], n.ANYTHING)):
            node = self.space.nodes.all[number]
            if node[0] == "group" and node[1] not in names:
                names.append(node[1])
        for name in names:
            if self.space.groupings[name].root not in self.model.populations:
                continue
            try:
                return self._groups(str(name))
            except NotCountable as why:
                self.reason = self.reason or str(why)
        return None

    def _groups(self, name: str) -> Groups:
        probe = Groups.__new__(Groups)
        probe.space, probe.grouping = self.space, name
        probe.population = self.model.populations[self.space.groupings[name].root]
        wanted = cone(self.space, dict.fromkeys([*self.rules, *self.more], n.ANYTHING))
        conditions = [c for c in wanted if self.space.nodes.all[c][0] == "group" and probe.told(c)]
        made = Groups(self.model, name, conditions)
        self.model.count_groups(name, made.number, made.counted)
        return made

    def _told(self, number: int) -> bool:
        """Whether a constraint is about counts of whole tables that are told."""
        node = self.space.nodes.all[number]
        if node[0] != "sign":
            return False
        return {symbol for monomial, _ in node[1] for symbol in monomial} <= set(self.model.counts)

    # --- questions ------------------------------------------------------------------------------------------

    def ask(self, wanted: Wanted, budget: Budget, most: bool = False, light: bool = False) -> Outcome:
        """Whether these outcomes can occur together; what is found has the fewest errors, or the most.

        `light`: any answer will do, and groups are left out where nothing that is asked for speaks of them."""
        whole = {**dict.fromkeys(self.constraints, n.TRUE), **wanted}
        start: Box = ((0,) * len(self.model.names), tuple(self.model.highest))
        try:
            free = Conditions(self.space, self.model.counts, whole, {}, self.model.positive)
            found = search(free, start, self.model.weights, budget, most=most)
        except OutOfBudget:
            return Outcome("open", None, _TOO_MUCH)
        if found is None:
            return self._impossible()
        try:
            plain = light and self._plain(free)
            if self.groups is not None and not plain:
                return self._with_groups(self.groups, free, whole, start, budget, most, light)
        except OutOfBudget:
            return Outcome("open", None, _TOO_MUCH)
        except NotCountable as why:
            return Outcome("possible", self._possible(found, ()), str(why))
        return Outcome("possible", self._possible(found, ()), "" if plain else self.reason)

    def _plain(self, conditions: Conditions) -> bool:
        counted = set(self.groups.counted) if self.groups is not None else set()
        nodes = [self.space.nodes.all[number] for number in conditions.order if number not in self.constraints]
        return not any(node[0] == "group" or (node[0] == "sign" and _symbols(node) & counted) for node in nodes)

    def _impossible(self) -> Outcome:
        if self.model.bounded:
            return Outcome("impossible")
        return Outcome("open", None, "how many rows there are is not expected")

    def _possible(self, found: Found, groups: tuple[Vector, ...]) -> Possible:
        counted = tuple(vector.rows for vector in groups)
        return Possible(self.model, counted, self.groups, found.point, found.given, found.errors)

    def _with_groups(
        self, groups: Groups, free: Conditions, whole: Wanted, start: Box, budget: Budget, most: bool, light: bool
    ) -> Outcome:
        box = _shrunk(free, start, budget)
        if box is None:
            return self._impossible()
        sums = Sums(groups, free.wanted, box, budget)
        best: tuple[int, Found, int] | None = None
        for shows, bits in sorted(sums.endings().items()):
            known = {number: sums.outcomes(shows, at, whole=True) for at, number in enumerate(groups.conditions)}
            conditions = Conditions(self.space, self.model.counts, whole, known, self.model.positive)
            better = None if best is None else best[0]
            found = search(conditions, box, self.model.weights, budget, Attainable(sums, bits), most, better)
            if found is not None:
                best = (found.errors, found, shows)
                if light and not most:
                    break
        if best is None:
            return self._impossible()
        place = tuple(_at(form, best[1].point) for form in sums.forms)
        return Outcome("possible", self._possible(best[1], tuple(sums.groups_of(best[2], place))), "")


def _shrunk(conditions: Conditions, box: Box, budget: Budget) -> Box | None:
    """The box without the values of single variables that are impossible."""
    given = conditions.known
    tight = conditions.tightened(box)
    if tight is None or conditions.impossible() or conditions.outcomes(tight, given) is None:
        return None
    low, high = list(tight[0]), list(tight[1])
    for at in range(len(low)):
        a, b = low[at], high[at]
        while a < b:  # the greatest value that is not impossible
            budget.spend()
            middle = (a + b + 1) // 2
            trial = ((*low[:at], middle, *low[at + 1 :]), tuple(high))
            inside = conditions.tightened(trial)
            impossible = inside is None or conditions.outcomes(inside, given) is None
            a, b = (a, middle - 1) if impossible else (middle, b)
        high[at] = a
    return tuple(low), tuple(high)


def _at(form: n.Terms, point: tuple[int, ...]) -> int:
    total = form.get((), 0)
    for monomial, factor in form.items():
        if monomial:
            total += factor * point[monomial[0]]
    return int(total)


def deep(space: Space, roots: Iterable[int]) -> set[int]:
    """All nodes below, those inside conditions on groups too."""
    found: set[int] = set()
    waiting = list(roots)
    while waiting:
        number = waiting.pop()
        if number not in found:
            found.add(number)
            node: tuple[Any, ...] = space.nodes.all[number]
            if node[0] in ("and", "or", "not", "choice"):
                waiting += node[1:]
            elif node[0] == "in":
                waiting.append(node[1])
            elif node[0] == "group":
                waiting += node[3:]
            elif node[0] == "sign":
                waiting += [g for s in _symbols(node) if (g := space.symbols[s].groups) >= 0]
    return found


def _symbols(node: tuple[Any, ...]) -> set[int]:
    return {symbol for monomial, _ in node[1] for symbol in monomial}


def symbols_of(space: Space, numbers: Iterable[int]) -> set[int]:
    """The symbols that these nodes count."""
    signs = [space.nodes.all[number] for number in numbers]
    return {symbol for node in signs if node[0] == "sign" for symbol in _symbols(node)}


def features_of(space: Space, numbers: Iterable[int]) -> Chosen:
    """The features that the counts of these nodes read, by table."""
    made: dict[str, set[int]] = {}
    for number in numbers:
        node = space.nodes.all[number]
        if node[0] == "sign":
            for symbol in _symbols(node):
                one = space.symbols[symbol]
                if one.test is not None:
                    _, used = space.features[one.root].test(one.test)
                    made.setdefault(one.root, set()).update(used)
    return {root: frozenset(used) for root, used in made.items()}


__all__ = ["Chosen", "Engine", "Outcome", "Possible", "TooMany", "deep", "features_of", "symbols_of"]
