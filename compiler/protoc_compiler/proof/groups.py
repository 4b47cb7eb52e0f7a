"""Which sums over all groups are attainable, and with which outcomes of conditions on groups.

Every group (a stratum, say) has so many rows of each class. All its possible counts are listed once; sets of sums are
bit sets, one bit for each sum, and adding a group shifts them. Sums that an answer cannot have are dropped on the way.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import comb

from protoc_compiler.proof import nodes as n
from protoc_compiler.proof.model import Model
from protoc_runtime.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST_VECTORS = 60_000


class NotCountable(Exception):
    """Conditions on these groups are not looked into; the text says why."""


@record
class Vector:
    """What one group may be: rows of each class of groups, and the outcomes (three bits a condition) that it shows.

    `place` are its coordinates: numbers of classes that are no default, and groups counted by conditions."""

    rows: tuple[int, ...]
    place: tuple[int, ...]
    shows: int


class Groups:
    """The groups of one grouping, all alike before the run."""

    def __init__(self, model: Model, grouping: str, conditions: list[int]) -> None:
        self.model, self.space, self.grouping = model, model.space, grouping
        self.conditions = conditions
        found = self.space.groupings[grouping]
        self.root = found.root
        if found.where:
            raise NotCountable("the groups are of some rows only")
        self.population = model.populations[self.root]
        self.symbols = sorted(s for s in self.population.tests if self.space.symbols[s].scope == grouping)
        self.counted = [s for s in model.counted_groups(grouping) if self._told(self.space.symbols[s].groups)]
        self.size, self.number = self._size()
        self.classes, self.blocks = self._classes()
        self.vectors = self._vectors()

    # --- what is known --------------------------------------------------------------------------------------

    def told(self, node: int) -> bool:
        """Whether a condition on groups reads nothing but counts that are told."""
        _, grouping, _, kept, held = self.space.nodes.all[node]
        return grouping == self.grouping and self._told(kept) and self._told(held)

    def _told(self, number: int) -> bool:
        node = self.space.nodes.all[number]
        if node[0] == "sign":
            symbols = {symbol for monomial, _ in node[1] for symbol in monomial}
            return symbols <= set(self.population.tests)
        parts = node[1:2] if node[0] == "in" else () if node[0] == "const" else node[1:]
        return node[0] not in ("atom", "term", "group") and all(self._told(part) for part in parts)

    def _size(self) -> tuple[int, int]:
        """Rows of each group, and the number of groups, from what is expected."""
        size = number = None
        every = {s for s in self.symbols if all(s in one.symbols for one in self.population.classes)}
        for constraint in self.model.constraints:
            node = self.space.nodes.all[constraint]
            if (
                node[0] == "group"
                and node[1] == self.grouping
                and node[2] == "all"
                and node[3] == self.space.nodes.true
            ):
                size = self._fixed(node[4], every) if size is None else size
            if number is None:
                number = self._fixed(constraint, self.model.all_groups(self.grouping))
        total = self.model.total(self.root)
        if size and number is None and total is not None and total % size == 0:
            number = total // size
        if number and size is None and number == 1:
            size = total
        if not size or not number:
            raise NotCountable("how many groups there are, and of how many rows, is not expected")
        return size, number

    def _fixed(self, number: int, symbols: set[int]) -> int | None:
        node = self.space.nodes.all[number]
        if node[0] != "sign" or node[2] != "==":
            return None
        terms = dict(node[1])
        constant = terms.pop((), 0)
        if len(terms) == 1 and next(iter(terms)) in {(symbol,) for symbol in symbols}:
            value = Fraction(-constant, next(iter(terms.values())))
            return int(value) if value.denominator == 1 and value >= 0 else None
        return None

    def _classes(self) -> tuple[list[frozenset[int]], list[int]]:
        """Classes that conditions on groups tell apart; for each the symbols, and the block."""
        own = set(self.symbols)
        seen: dict[int, set[frozenset[int]]] = {}
        for one in self.population.classes:
            seen.setdefault(one.block, set()).add(one.symbols & own)
        names: dict[frozenset[frozenset[int]], int] = {}
        self.block_of = {block: names.setdefault(frozenset(found), len(names)) for block, found in seen.items()}
        made: dict[tuple[frozenset[int], int], int] = {}
        self.class_of: list[int] = []
        for one in self.population.classes:
            key = (one.symbols & own, self.block_of[one.block])
            self.class_of.append(made.setdefault(key, len(made)))
        self.default = [-1] * len(names)
        for block, at in enumerate(self.population.defaults):
            if self.default[self.block_of[block]] < 0:
                self.default[self.block_of[block]] = self.class_of[at]
        return [symbols for symbols, _ in made], [block for _, block in made]

    # --- one group ------------------------------------------------------------------------------------------

    def _vectors(self) -> list[Vector]:
        """Everything that one group may be."""
        local = [
            self.space.nodes.all[c] for c in self.model.constraints
            if self.space.nodes.all[c][0] == "group" and self.told(c) and self.space.nodes.all[c][2] == "all"
        ]  # fmt: skip
        early = [node for node in local if self._of_totals(node[3]) and self._of_totals(node[4])]
        made: list[Vector] = []
        count = len(self.default)
        for totals in _compositions(self.size, count):
            first = self._counts(self._rows_of(totals))
            if all(self._kept(node, first) for node in early):
                for rows in self._inside(totals):
                    counts = self._counts(rows)
                    if all(self._kept(node, counts) for node in local):
                        made.append(self._vector(rows, counts))
                    if len(made) > MOST_VECTORS:
                        raise NotCountable("one group may be in too many ways")
        if not made:
            raise NotCountable("no group can be as expected")
        return made

    def _of_totals(self, number: int) -> bool:
        """Whether a condition depends on totals of blocks alone."""
        node = self.space.nodes.all[number]
        if node[0] == "sign":
            return all(self._whole_blocks(symbol) for monomial, _ in node[1] for symbol in monomial)
        parts = node[1:2] if node[0] == "in" else () if node[0] == "const" else node[1:]
        return all(self._of_totals(part) for part in parts)

    def _whole_blocks(self, symbol: int) -> bool:
        inside = {block for symbols, block in zip(self.classes, self.blocks, strict=True) if symbol in symbols}
        outside = {block for symbols, block in zip(self.classes, self.blocks, strict=True) if symbol not in symbols}
        return not inside & outside

    def _rows_of(self, totals: tuple[int, ...]) -> tuple[int, ...]:
        rows = [0] * len(self.classes)
        for block, total in enumerate(totals):
            rows[self.default[block]] = total
        return tuple(rows)

    def _inside(self, totals: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        """All ways to give the rows of each block to its classes."""
        places = [[at for at, block in enumerate(self.blocks) if block == wanted] for wanted in range(len(totals))]
        ways: list[list[tuple[int, ...]]] = [
            list(_compositions(total, len(inside))) for total, inside in zip(totals, places, strict=True)
        ]

        def walk(block: int, rows: list[int]) -> Iterator[tuple[int, ...]]:
            """Every way to fill the blocks from this one on, as numbers of rows by place."""
            if block == len(ways):
                yield tuple(rows)
                return
            for way in ways[block]:
                for at, value in zip(places[block], way, strict=True):
                    rows[at] = value
                yield from walk(block + 1, rows)

        yield from walk(0, [0] * len(self.classes))

    def _counts(self, rows: tuple[int, ...]) -> dict[int, int]:
        counts = dict.fromkeys(self.symbols, 0)
        for symbols, number in zip(self.classes, rows, strict=True):
            if number:
                for symbol in symbols:
                    counts[symbol] += number
        return counts

    def _kept(self, node: tuple[Any, ...], counts: dict[int, int]) -> bool:
        known: dict[int, int] = {}
        if self._value(node[3], counts, known) != n.TRUE:
            return True
        return self._value(node[4], counts, known) == n.TRUE

    def _vector(self, rows: tuple[int, ...], counts: dict[int, int]) -> Vector:
        known: dict[int, int] = {}
        shows = 0
        for at, number in enumerate(self.conditions):
            _, _, _, kept, held = self.space.nodes.all[number]
            if self._value(kept, counts, known) == n.TRUE:
                shows |= self._value(held, counts, known) << (3 * at)
        hits = tuple(int(self._value(self.space.symbols[s].groups, counts, known) == n.TRUE) for s in self.counted)
        plain = tuple(value for at, value in enumerate(rows) if at not in self.default)
        totals = [0] * len(self.default)
        for value, block in zip(rows, self.blocks, strict=True):
            totals[block] += value
        return Vector(rows, (*totals[:-1], *hits, *plain), shows)

    def _value(self, number: int, counts: dict[int, int], known: dict[int, int]) -> int:
        found = known.get(number)
        if found is None:
            found = known[number] = self._computed(self.space.nodes.all[number], counts, known)
        return found

    def _computed(self, node: tuple[Any, ...], counts: dict[int, int], known: dict[int, int]) -> int:
        match node:
            case ("sign", poly, op):
                total = 0
                for monomial, factor in poly:
                    for symbol in monomial:
                        factor *= counts[symbol]
                    total += factor
                return n.TRUE if (total == 0 if op == "==" else total <= 0) else n.FALSE
            case ("const", outcome):
                return int(outcome)
            case ("not", part):
                return (0, 2, 1, 3, 4)[self._value(part, counts, known)]
            case ("in", part, outcomes):
                return n.TRUE if self._value(part, counts, known) & outcomes else n.FALSE
            case ("choice", test, then, otherwise):
                taken = self._value(test, counts, known)
                if taken == n.UNDEFINED:
                    return n.UNDEFINED
                return self._value(then if taken == n.TRUE else otherwise, counts, known)
        deciding = n.FALSE if node[0] == "and" else n.TRUE
        outcomes = 0
        for part in node[1:]:
            one = self._value(part, counts, known)
            if one == deciding:
                return deciding
            outcomes |= one
        return n.UNDEFINED if outcomes & n.UNDEFINED else n.KNOWN & ~deciding

    def ways(self, vector: Vector) -> int:
        """In how many ways the rows of a group can be in the classes of a vector, given the totals of its blocks."""
        left = [0] * len(self.default)
        for value, block in zip(vector.rows, self.blocks, strict=True):
            left[block] += value
        made = 1
        for value, block in zip(vector.rows, self.blocks, strict=True):
            made *= comb(left[block], value)
            left[block] -= value
        return made

    # --- coordinates ----------------------------------------------------------------------------------------

    def forms(self) -> list[n.Terms]:
        """Each coordinate of a sum over all groups as a sum of the model's variables."""
        by_class: list[n.Terms] = [{} for _ in self.classes]
        by_block: list[n.Terms] = [{} for _ in self.default]
        for one, at in zip(self.population.classes, self.class_of, strict=True):
            by_class[at] = n.plus(by_class[at], one.form)
            by_block[self.blocks[at]] = n.plus(by_block[self.blocks[at]], one.form)
        hits = [self.model.counts[symbol] for symbol in self.counted]
        plain = [form for at, form in enumerate(by_class) if at not in self.default]
        return [*by_block[:-1], *hits, *plain]


def _compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """All ways to write a number as a sum of so many numbers."""
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in _compositions(total - first, parts - 1):
            yield (first, *rest)
