"""The whole numbers that a question is about, and what is known of them.

Rows of one table that no condition of the question tells apart are one *class*. Classes with the same sealed features
are a *block*: its total stands before the run, and one of its classes, the default, takes what the others leave. The
variables are the numbers of the other classes, and the totals that no expectation fixes; all counts are sums of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from protoc_compiler.proof import nodes as n
from protoc_compiler.proof.conditions import Counts
from protoc_compiler.proof.features import Cell, Test, TooMany, cells
from protoc_compiler.proof.reached import Wanted, spread
from protoc_compiler.proof.space import Space

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST_CELLS = 4_096
MOST_CLASSES = 40
UNKNOWN_TOTAL = 24  # rows of a table of which nothing says how many there are: enough for a witness, not for a proof


class Class:
    """Rows that are alike: the symbols that count them, one of their cells, and their block."""

    def __init__(self, symbols: frozenset[int], cell: Cell, block: int) -> None:
        self.symbols = symbols
        self.cell = cell
        self.block = block
        self.form: n.Terms = {}  # over variables


class Population:
    """The classes of one table."""

    def __init__(self, space: Space, root: str, features: frozenset[int]) -> None:
        self.space = space
        self.root = root
        self.features = tuple(sorted(features))
        self.tests = self._tests()
        known = space.features[root].ordered()
        self.sealed = [space.features[root].sealed(known[index]) for index in self.features]
        self.domains = [known[index].domain(space.tables) for index in self.features]
        self.width = len(known)
        self.classes = self._classes()
        self.blocks = 1 + max(one.block for one in self.classes)
        self.defaults: list[int] = []
        self.bounded = True

    def is_error(self, at: int) -> bool:
        """Whether the rows of a class are errors: those that are not of the default class of their block."""
        return self.defaults[self.classes[at].block] != at

    def _tests(self) -> dict[int, Test]:
        """The symbols that these features tell."""
        made = {}
        for number, symbol in enumerate(self.space.symbols):
            if symbol.root == self.root and symbol.test is not None:
                test, used = self.space.features[self.root].test(symbol.test)
                if used <= set(self.features):
                    made[number] = test
        return made

    def _classes(self) -> list[Class]:
        whole = cells(self.domains, MOST_CELLS)
        told: list[tuple[frozenset[int], Cell]] = []
        rows: dict[Cell, list[frozenset[int]]] = {}
        for short in whole:
            cell: list[Any] = [None] * self.width
            for index, value in zip(self.features, short, strict=True):
                cell[index] = value
            symbols = frozenset(number for number, test in self.tests.items() if test(tuple(cell)) is True)
            told.append((symbols, short))
            rows.setdefault(self._sealed_part(short), []).append(symbols)
        numbers: dict[tuple[frozenset[int], ...], int] = {}
        self.block_of = blocks = {part: numbers.setdefault(tuple(seen), len(numbers)) for part, seen in rows.items()}
        made: dict[tuple[frozenset[int], int], Class] = {}
        for symbols, short in told:
            block = blocks[self._sealed_part(short)]
            made.setdefault((symbols, block), Class(symbols, short, block))
        if len(made) > MOST_CLASSES:
            raise TooMany
        return list(made.values())

    def _sealed_part(self, short: Cell) -> Cell:
        return tuple(value for value, sealed in zip(short, self.sealed, strict=True) if sealed)


class Model:
    """Variables, the counts as sums of them, and the constraints that expectations make."""

    def __init__(self, space: Space, features: Mapping[str, frozenset[int]], constraints: Iterable[int]) -> None:
        self.space = space
        self.populations = {root: Population(space, root, chosen) for root, chosen in features.items()}
        self.names: list[tuple[str, str, int]] = []  # (root, "class" or "block", its number)
        self.highest: list[int] = []
        self.weights: list[int] = []  # 1 for a class that is not the default of its block: an error
        self.counts = Counts()  # symbol -> sum of variables
        self.positive: list[n.Terms] = []  # sums of variables that are never negative
        self.constraints = _with_parts(space, tuple(constraints))
        self.covered = {number for one in self.populations.values() for number in one.tests}

    @property
    def bounded(self) -> bool:
        """Whether every total is known, or bounded by one that is."""
        return all(one.bounded for one in self.populations.values())

    def settle(self, defaults: Mapping[str, list[int]]) -> None:
        """Make the variables: with the default class of each block, by table."""
        self.names, self.highest, self.weights, self.counts, self.positive = [], [], [], Counts(), []
        for root, population in self.populations.items():
            population.defaults = list(defaults[root])
            self._blocks(root, population)

    def total(self, root: str) -> int | None:
        """The number of rows of a table, where it is expected."""
        return self._whole(self.populations[root])

    def all_groups(self, grouping: str) -> set[int]:
        """The symbol of the number of all groups, if something speaks of it."""
        return {s for s in self._of_groups(grouping) if self.space.symbols[s].groups == self.space.nodes.true}

    def counted_groups(self, grouping: str) -> list[int]:
        """The symbols that count groups with a condition."""
        return [s for s in self._of_groups(grouping) if self.space.symbols[s].groups != self.space.nodes.true]

    def _of_groups(self, grouping: str) -> list[int]:
        return [s for s, one in enumerate(self.space.symbols) if one.scope == grouping and one.groups >= 0]

    def count_groups(self, grouping: str, number: int, told: Iterable[int]) -> None:
        """A variable for each number of groups with a condition; that of all groups is known."""
        for symbol in self.all_groups(grouping):
            self.counts[symbol] = n.constant(number)
        for symbol in told:
            self.counts[symbol] = {(self._variable(("", "groups", symbol), number, 0),): Fraction(1)}

    def _blocks(self, root: str, population: Population) -> None:
        """Variables for the classes: of a block whose total is known, the default class takes the rest."""
        whole = self._whole(population)
        totals = self._totals(population)
        population.bounded = whole is not None or None not in totals
        most = whole if whole is not None else UNKNOWN_TOTAL
        every: n.Terms = {}
        for block, total in enumerate(totals):
            rest = None if total is None else n.constant(total)
            for at in [at for at, one in enumerate(population.classes) if one.block == block]:
                default = not population.is_error(at)
                if default and rest is not None:
                    continue
                variable = self._variable((root, "class", at), most if total is None else total, int(not default))
                population.classes[at].form = {(variable,): Fraction(1)}
                rest = n.plus(rest, population.classes[at].form, -1) if rest is not None else None
                every = n.plus(every, population.classes[at].form)
            if rest is not None:
                population.classes[population.defaults[block]].form = rest
                self.positive.append(rest)
        if not population.bounded:
            self.positive.append(n.plus(n.constant(UNKNOWN_TOTAL), every, -1))
        for number in population.tests:
            if not self.space.symbols[number].scope:
                counted: n.Terms = {}
                for one in population.classes:
                    if number in one.symbols:
                        counted = n.plus(counted, one.form)
                self.counts[number] = counted

    def _variable(self, name: tuple[str, str, int], highest: int, weight: int) -> int:
        self.names.append(name)
        self.highest.append(highest)
        self.weights.append(weight)
        return len(self.names) - 1

    def _totals(self, population: Population) -> list[int | None]:
        """The total of each block, where the expectations tell it."""
        solved = _solve(self._equations(population), population.blocks)
        made: list[int | None] = []
        for form in solved:
            fixed = form is not None and not [monomial for monomial in form if monomial]
            made.append(int(form.get((), Fraction(0))) if fixed and form is not None else None)
        return made

    def _equations(self, population: Population) -> list[tuple[dict[int, Fraction], Fraction]]:
        """What expectations say of totals of blocks: sum of factor * block = number."""
        made = []
        for poly in self.equal():
            sides: dict[int, Fraction] = {}
            number, fits = Fraction(0), True
            for monomial, factor in poly:
                blocks = None if not monomial else self._of_blocks(population, monomial)
                if not monomial:
                    number -= factor
                elif blocks is None:
                    fits = False
                else:
                    for block in blocks:
                        sides[block] = sides.get(block, Fraction(0)) + factor
            if fits and sides and number == 0 and min(sides.values()) > 0:  # each of them is nothing
                made += [({block: Fraction(1)}, number) for block in sides]
            elif fits and sides:
                made.append((sides, number))
        return made

    def equal(self) -> list[n.Poly]:
        """What is expected of counts to be equal, as sums that are 0."""
        found = []
        for number in self.constraints:
            node = self.space.nodes.all[number]
            if node[0] == "sign" and node[2] == "==":
                found.append(node[1])
            elif node[0] == "sign" and all(monomial and factor > 0 for monomial, factor in node[1]):
                found += [((monomial, Fraction(1)),) for monomial, _ in node[1]]  # no count is below nothing
        return found

    def _of_blocks(self, population: Population, monomial: tuple[int, ...]) -> list[int] | None:
        """The blocks that a symbol counts, if it counts whole blocks."""
        if len(monomial) != 1 or monomial[0] not in population.tests or self.space.symbols[monomial[0]].scope:
            return None
        inside = {one.block for one in population.classes if monomial[0] in one.symbols}
        outside = {one.block for one in population.classes if monomial[0] not in one.symbols}
        return None if inside & outside else sorted(inside)

    def _whole(self, population: Population) -> int | None:
        """The number of all rows, where the expectations tell it."""
        equations = self._equations(population)
        for sides, number in equations:
            if len(sides) == population.blocks and len(set(sides.values())) == 1:
                return int(number / next(iter(sides.values())))
        covered: set[int] = set()
        total = Fraction(0)
        for sides, number in equations:
            if set(sides.values()) == {Fraction(1)} and not covered & set(sides):
                covered |= set(sides)
                total += number
        return int(total) if len(covered) == population.blocks else None


def _with_parts(space: Space, constraints: tuple[int, ...]) -> tuple[int, ...]:
    """The constraints, and the signs that must be so for them to hold."""
    known: Wanted = dict.fromkeys(constraints, n.TRUE)
    spread(space, known)
    signs = [
        number for number, outcomes in known.items() if outcomes == n.TRUE and space.nodes.all[number][0] == "sign"
    ]
    return (*constraints, *(number for number in sorted(signs) if number not in constraints))


def _solve(
    equations: list[tuple[dict[int, Fraction], Fraction]], size: int
) -> list[dict[tuple[int, ...], Fraction] | None]:
    """Each unknown as a number plus a sum of free ones; None for a free one (Gauss and Jordan)."""
    rows = [(dict(sides), number) for sides, number in equations]
    pivots: dict[int, tuple[dict[int, Fraction], Fraction]] = {}
    for sides, number in rows:
        for pivot, (other, value) in pivots.items():
            factor = sides.get(pivot, Fraction(0))
            if factor:
                sides, number = _minus(sides, other, factor), number - factor * value
        if not sides:
            continue
        pivot = max(sides)
        factor = sides[pivot]
        sides, number = {key: value / factor for key, value in sides.items()}, number / factor
        for known, (other, value) in list(pivots.items()):
            factor = other.get(pivot, Fraction(0))
            if factor:
                pivots[known] = (_minus(other, sides, factor), value - factor * number)
        pivots[pivot] = (sides, number)
    made: list[dict[tuple[int, ...], Fraction] | None] = []
    for block in range(size):
        if block not in pivots:
            made.append(None)
            continue
        sides, number = pivots[block]
        form: dict[tuple[int, ...], Fraction] = {(other,): -value for other, value in sides.items() if other != block}
        if number:
            form[()] = number
        made.append(form)
    return made


def _minus(left: dict[int, Fraction], right: dict[int, Fraction], factor: Fraction) -> dict[int, Fraction]:
    made = dict(left)
    for key, value in right.items():
        total = made.get(key, Fraction(0)) - factor * value
        if total:
            made[key] = total
        else:
            made.pop(key, None)
    return made
