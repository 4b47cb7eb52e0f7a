"""What a possible answer leaves open is chosen so that nothing else stands in its way.

An answer counts only some features of rows. For each class of rows the others are chosen one by one, as long as more
of the wanted outcomes come true: blockers that do not fire, gates that hold.
"""

from __future__ import annotations

from protoc_compiler.proof import nodes as n
from protoc_compiler.proof.ask import Possible
from protoc_compiler.proof.features import Cell, Test
from protoc_compiler.proof.points import outcomes_at
from protoc_compiler.proof.reached import Wanted, spread
from protoc_compiler.proof.space import Space

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_ROUNDS = 3


def targets(space: Space, found: Possible, wanted: Wanted) -> Wanted:
    """Every outcome that is wanted, by node: those that were asked for, and those that the answer has chosen."""
    made = dict(wanted)
    spread(space, made)
    for (kind, what), outcomes in found.given.items():
        if kind == "atom":
            made[what] = made.get(what, n.ANYTHING) & outcomes
    return made


def completed(space: Space, found: Possible, wanted: Wanted) -> dict[str, list[Cell]]:
    """By table one whole cell for each class: a value of every feature that is known of the table."""
    return _Completing(space, found, targets(space, found, wanted)).cells()


class _Completing:
    def __init__(self, space: Space, found: Possible, wanted: Wanted) -> None:
        self.space, self.found, self.wanted = space, found, wanted
        self.rows = found.rows()
        self.counts = dict(found.counts())
        self.whole: dict[str, list[list[Any]]] = {}
        self.domains: dict[str, list[tuple[Any, ...]]] = {}
        self.held: dict[str, list[set[int]]] = {}
        self.tests: dict[str, list[tuple[int, Test, frozenset[int]]]] = {}

    def cells(self) -> dict[str, list[Cell]]:
        """By table, the cells of its rows with every feature given, chosen so that the rules come out as wanted."""
        for root, population in self.found.model.populations.items():
            known = self.space.features[root].ordered()
            self.domains[root] = [feature.domain(self.space.tables) for feature in known]
            self.whole[root] = [self._filled(root, population.features, one.cell) for one in population.classes]
            self.held[root] = [self._symbols(root, cell) for cell in self.whole[root]]
        self._count()
        best = self._score()
        for _ in range(_ROUNDS):
            before = best
            for root, population in self.found.model.populations.items():
                used = [at for at, number in enumerate(self.rows[root]) if number]
                fixed = set(population.features)
                best = self._improved(root, used, fixed, best)  # some blockers ask something of every row
                for at in used:
                    best = self._improved(root, [at], fixed, best)
            if best == before:
                break
        return {root: [tuple(cell) for cell in cells] for root, cells in self.whole.items()}

    def _filled(self, root: str, features: tuple[int, ...], short: Cell) -> list[Any]:
        cell: list[Any] = [domain[0] for domain in self.domains[root]]
        for index, value in zip(features, short, strict=True):
            cell[index] = value
        return cell

    def _symbols(self, root: str, cell: list[Any]) -> set[int]:
        given = tuple(cell)
        return {number for number, test, _ in self._tests(root) if test(given) is True}

    def _tests(self, root: str) -> list[tuple[int, Test, frozenset[int]]]:
        """What is counted of the rows of a table, each with its test and the features that it reads."""
        if root not in self.tests:
            features = self.space.features[root]
            self.tests[root] = [
                (number, *features.test(symbol.test))
                for number, symbol in enumerate(self.space.symbols)
                if symbol.root == root and not symbol.scope and symbol.test is not None
            ]
        return self.tests[root]

    def _count(self) -> None:
        for root in self.whole:
            for symbol, _, _ in self._tests(root):
                self.counts[symbol] = sum(
                    number for number, held in zip(self.rows[root], self.held[root], strict=True) if symbol in held
                )

    def _move(self, root: str, at: int, symbols: set[int]) -> bool:
        """Give a class its symbols; whether that changes anything."""
        changed = self.held[root][at] ^ symbols
        number = self.rows[root][at]
        for symbol in changed:
            self.counts[symbol] += number if symbol in symbols else -number
        self.held[root][at] = symbols
        return bool(changed)

    def _score(self) -> int:
        seen = outcomes_at(self.space, self.wanted, self.counts)
        return sum(2 if not seen[node] & ~want else 1 for node, want in self.wanted.items() if seen[node] & want)

    def _improved(self, root: str, classes: list[int], fixed: set[int], best: int) -> int:
        """Try each value of each feature for all of these classes at once."""
        cells = self.whole[root]
        for index, domain in enumerate(self.domains[root]):
            reading = [(number, test) for number, test, read in self._tests(root) if index in read]
            for value in domain if reading and index not in fixed else ():
                before = [(at, cells[at][index], self.held[root][at]) for at in classes]
                changed = [self._tried(root, at, index, value, reading) for at in classes]
                score = self._score() if any(changed) else best
                if score > best:
                    best = score
                    continue
                for at, old, symbols in before:
                    cells[at][index] = old
                    self._move(root, at, symbols)
        return best

    def _tried(self, root: str, at: int, index: int, value: Any, reading: list[tuple[int, Test]]) -> bool:
        """Give one feature of a class a value: only the tests that read it can come out otherwise. Whether one does."""
        cell = self.whole[root][at]
        cell[index] = value
        given = tuple(cell)
        others = self.held[root][at].difference([number for number, _ in reading])
        return self._move(root, at, others | {number for number, test in reading if test(given) is True})
