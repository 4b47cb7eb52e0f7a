"""What a possible answer leaves open is chosen so that nothing else stands in its way.

An answer counts only some features of rows. For each class of rows the others are chosen one by one, as long as more
of the wanted outcomes come true: blockers that do not fire, gates that hold.
"""

from __future__ import annotations

from typing import Any

from protoc_compiler.proof import nodes as n
from protoc_compiler.proof.ask import Possible
from protoc_compiler.proof.features import Cell
from protoc_compiler.proof.points import outcomes_at
from protoc_compiler.proof.reached import Wanted, spread
from protoc_compiler.proof.space import Space

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

    def cells(self) -> dict[str, list[Cell]]:
        """By table, the cells of its rows with every feature given, chosen so that the rules come out as wanted."""
        for root, population in self.found.model.populations.items():
            known = sorted(self.space.features[root].known.values(), key=lambda feature: feature.index)
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
        features = self.space.features[root]
        made = set()
        for number, symbol in enumerate(self.space.symbols):
            if symbol.root == root and not symbol.scope and symbol.test is not None:
                test, _ = features.test(symbol.test)
                if test(tuple(cell)) is True:
                    made.add(number)
        return made

    def _count(self) -> None:
        for root in self.whole:
            told = [
                s
                for s, one in enumerate(self.space.symbols)
                if one.root == root and not one.scope and one.test is not None
            ]
            for symbol in told:
                self.counts[symbol] = sum(
                    number for number, held in zip(self.rows[root], self.held[root], strict=True) if symbol in held
                )

    def _move(self, root: str, at: int, symbols: set[int]) -> None:
        number = self.rows[root][at]
        for symbol in self.held[root][at] ^ symbols:
            self.counts[symbol] += number if symbol in symbols else -number
        self.held[root][at] = symbols

    def _score(self) -> int:
        seen = outcomes_at(self.space, self.wanted, self.counts)
        return sum(2 if not seen[node] & ~want else 1 for node, want in self.wanted.items() if seen[node] & want)

    def _improved(self, root: str, classes: list[int], fixed: set[int], best: int) -> int:
        """Try each value of each feature for all of these classes at once."""
        for index, domain in enumerate(self.domains[root]):
            for value in domain if index not in fixed else ():
                before = [(at, self.whole[root][at][index], self.held[root][at]) for at in classes]
                for at in classes:
                    self.whole[root][at][index] = value
                    self._move(root, at, self._symbols(root, self.whole[root][at]))
                score = self._score()
                if score > best:
                    best = score
                    continue
                for at, old, symbols in before:
                    self.whole[root][at][index] = old
                    self._move(root, at, symbols)
        return best
