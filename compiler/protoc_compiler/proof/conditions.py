"""Conditions on boxes of whole numbers: the outcomes that each can have anywhere in a box, or more, never fewer."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from protoc_compiler.proof import nodes as n
from protoc_compiler.proof.reached import SWAPPED, Wanted, cone, spread
from protoc_compiler.proof.space import Space

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

Box = tuple[tuple[int, ...], tuple[int, ...]]
Given: TypeAlias = "dict[tuple[str, Any], Any]"
Line = tuple[int, tuple[tuple[int, int], ...]]  # constant and (variable, factor): their sum is at most nothing
_TIGHTENED = 6
Step = Callable[[dict[int, int], Box, Given], int]


class OutOfBudget(Exception):
    """The work that is allowed has been done, and the question is open."""


class Budget:
    """A number of steps: the same on every machine."""

    def __init__(self, steps: int) -> None:
        self.left = steps

    def spend(self, steps: int = 1) -> None:
        """Raises `OutOfBudget` when the steps are used up."""
        self.left -= steps
        if self.left < 0:
            raise OutOfBudget


class Counts(dict[int, n.Terms]):
    """Symbols as sums of variables. What polynomials over symbols are is worked out once for all questions."""

    def __init__(self) -> None:
        super().__init__()
        self._terms: dict[n.Poly, n.Terms] = {}
        self._bounds: dict[n.Poly, Any] = {}

    def terms(self, poly: n.Poly) -> n.Terms:
        """A polynomial over symbols as one over variables."""
        known = self._terms.get(poly)
        if known is None:
            known = {}
            for monomial, factor in poly:
                part = n.constant(factor)
                for symbol in monomial:
                    part = n.times(part, self[symbol])
                known = n.plus(known, part)
            self._terms[poly] = known
        return known

    def bounds(self, poly: n.Poly) -> Any:
        """A polynomial over symbols as a function of a box of variables: its least and greatest value."""
        known = self._bounds.get(poly)
        if known is None:
            known = self._bounds[poly] = _interval(_scaled(self.terms(poly)))
        return known


class Conditions:
    """The nodes that some wanted outcomes depend on, compiled for boxes."""

    def __init__(
        self, space: Space, counts: Counts, wanted: Wanted, groups: Mapping[int, int],
        positive: list[n.Terms],
    ) -> None:  # fmt: skip
        """`counts`: symbols as sums of variables; a sign with another symbol is free. `groups`: the outcomes of
        conditions on groups, by node; others are free."""
        self.space = space
        self.counts = counts
        self.groups = groups
        self.wanted = dict(wanted)
        self.broken = not spread(space, self.wanted)
        self._free: set[int] = set()
        self._variables: dict[int, tuple[int, ...]] = {}
        self.order = cone(space, self.wanted)
        self.steps: list[tuple[int, Step]] = [(number, self._step(number)) for number in self.order]
        self.positive = [_interval(n.whole(form)) for form in positive if form]
        self.linear = [negated for form in positive if form and (negated := _line(n.times(n.constant(-1), form)))]
        self.linear += self._lines()
        self.known = self._chosen()

    def _chosen(self) -> Given:
        """What is wanted of atoms and terms can be chosen at once."""
        made: Given = {}
        for number in self.order:
            node = self.space.nodes.all[number]
            outcomes = self.wanted.get(number, n.ANYTHING)
            if node[0] == "atom" or number in self._free or (node[0] == "group" and number not in self.groups):
                possible = node[2] if node[0] == "atom" else n.KNOWN if node[0] == "sign" else n.ANYTHING
                made["atom", number] = possible & outcomes
            if node[0] == "term" and number in self.wanted:
                index, test = node[1], self.space.term_tests[number]
                domain = made.get(("term", index), self.space.term_domain(index))
                made["term", index] = tuple(value for value in domain if _OUTCOME[test(_At(value))] & outcomes)
        return made

    def impossible(self) -> bool:
        """Whether something that is wanted has no outcome or value left."""
        return self.broken or not all(self.known.values())

    def _lines(self) -> list[Line]:
        """The sums that are wanted to be at most nothing."""
        made: list[Line] = []
        for number, outcomes in self.wanted.items():
            node = self.space.nodes.all[number]
            if node[0] != "sign" or number in self._free or outcomes & n.UNDEFINED or outcomes == n.KNOWN:
                continue
            terms = self.counts.terms(node[1])
            turned = n.times(n.constant(-1), terms)
            if node[2] == "==":
                sides = [terms, turned] if outcomes == n.TRUE else []
            else:
                sides = [terms] if outcomes == n.TRUE else [n.plus(turned, n.constant(1))]
            made += [line for side in sides if (line := _line(side))]
        return made

    def tightened(self, box: Box) -> Box | None:
        """The box without the ends in which a wanted sum cannot be what it must; None if nothing is left."""
        low, high = list(box[0]), list(box[1])
        for _ in range(_TIGHTENED):
            changed = False
            for constant, factors in self.linear:
                least = constant + sum(f * (low[v] if f > 0 else high[v]) for v, f in factors)
                if least > 0:
                    return None
                for v, f in factors:
                    room = -least // abs(f)
                    if f > 0 and low[v] + room < high[v]:
                        high[v], changed = low[v] + room, True
                    elif f < 0 and high[v] - room > low[v]:
                        low[v], changed = high[v] - room, True
            if not changed:
                break
        return tuple(low), tuple(high)

    def outcomes(self, box: Box, given: Given) -> dict[int, int] | None:
        """The outcomes of every node in the box; None where a wanted one is impossible."""
        low, high = box
        for form in self.positive:
            if form(low, high)[1] < 0:
                return None
        values: dict[int, int] = {}
        wanted = self.wanted
        for number, step in self.steps:
            made = step(values, box, given)
            if number in wanted:
                made &= wanted[number]
                if not made:
                    return None
            values[number] = made
        return values

    def sure(self, box: Box, given: Given) -> bool:
        """Whether all sums that are never negative are so everywhere in the box."""
        return all(form(*box)[0] >= 0 for form in self.positive)

    def open_leaf(self, box: Box, given: Given) -> tuple[str, Any] | None:
        """What to split next: a variable or an atom on which a wanted outcome still depends; None if all is certain."""
        low, high = box
        for form in self.positive:
            if form(low, high)[0] < 0:
                return self._widest(form.variables, box)
        plain: dict[int, int] = {}
        for number, step in self.steps:
            plain[number] = step(plain, box, given)
        for number, outcomes in self.wanted.items():
            if plain[number] & ~outcomes:
                return self._leaf(number, plain, box)
        return None

    def _leaf(self, number: int, values: dict[int, int], box: Box) -> tuple[str, Any]:
        node = self.space.nodes.all[number]
        while node[0] in ("and", "or", "not", "in", "choice"):
            children = node[1:2] if node[0] == "in" else node[1:]
            number = next(int(child) for child in children if _open(values[int(child)]))
            node = self.space.nodes.all[number]
        if node[0] == "sign" and number not in self._free:
            found = self._widest(self._variables[number], box)
            if found is not None:
                return found
        if node[0] == "term":
            return ("term", node[1])
        return ("atom", number)

    def _widest(self, variables: tuple[int, ...], box: Box) -> tuple[str, Any] | None:
        low, high = box
        widths = [(high[v] - low[v], -v) for v in variables if high[v] > low[v]]
        return ("variable", -max(widths)[1]) if widths else None

    # --- nodes ----------------------------------------------------------------------------------------------

    def _step(self, number: int) -> Step:
        node = self.space.nodes.all[number]
        made: Step = getattr(self, f"_{node[0]}")(number, *node[1:])
        return made

    def _const(self, number: int, outcomes: int) -> Step:
        return lambda values, box, given: outcomes

    def _and(self, number: int, *parts: int) -> Step:
        return lambda values, box, given: junction([values[part] for part in parts], n.FALSE, n.TRUE)

    def _or(self, number: int, *parts: int) -> Step:
        return lambda values, box, given: junction([values[part] for part in parts], n.TRUE, n.FALSE)

    def _not(self, number: int, part: int) -> Step:
        return lambda values, box, given: SWAPPED[values[part]]

    def _in(self, number: int, part: int, outcomes: int) -> Step:
        def step(values: dict[int, int], box: Box, given: Given) -> int:
            """Whether the outcomes of the part can be, and can miss, those that are asked for."""
            value = values[part]
            return (n.TRUE if value & outcomes else 0) | (n.FALSE if value & ~outcomes else 0)

        return step

    def _choice(self, number: int, test: int, then: int, otherwise: int) -> Step:
        def step(values: dict[int, int], box: Box, given: Given) -> int:
            """The outcomes of both lines that the test leaves open."""
            value = values[test]
            made = values[then] if value & n.TRUE else 0
            made |= values[otherwise] if value & n.FALSE else 0
            return made | (value & n.UNDEFINED)

        return step

    def _atom(self, number: int, _: int, outcomes: int) -> Step:
        key = ("atom", number)
        return lambda values, box, given: given.get(key, outcomes)

    def _group(self, number: int, *_: object) -> Step:
        known = self.groups.get(number)
        if known is not None:
            return lambda values, box, given: known
        return self._atom(number, 0, n.ANYTHING)

    def _term(self, number: int, index: int, _: object) -> Step:
        test = self.space.term_tests[number]
        domain = self.space.term_domain(index)
        key = ("term", index)

        def step(values: dict[int, int], box: Box, given: Given) -> int:
            """The outcomes over the values that the term can still have."""
            made = 0
            for value in given.get(key, domain):
                made |= _OUTCOME[test(_At(value))]
            return made

        return step

    def _sign(self, number: int, poly: n.Poly, op: str) -> Step:
        if any(symbol not in self.counts for monomial, _ in poly for symbol in monomial):
            self._free.add(number)
            return self._atom(number, 0, n.KNOWN)
        form = self.counts.bounds(poly)
        self._variables[number] = form.variables
        if op == "==":

            def equal(values: dict[int, int], box: Box, given: Given) -> int:
                """Whether a sum is zero throughout the box, nowhere (as far as its bounds tell), or here and there."""
                low, high = form(*box)
                if low == high == 0:
                    return n.TRUE
                return n.FALSE if low > 0 or high < 0 else n.KNOWN

            return equal

        def below(values: dict[int, int], box: Box, given: Given) -> int:
            """Whether a sum is at most zero throughout the box, nowhere, or here and there."""
            low, high = form(*box)
            return n.TRUE if high <= 0 else n.FALSE if low > 0 else n.KNOWN

        return below


class _At(tuple):  # type: ignore[type-arg]
    """A cell in which every feature has one value: of a term there is only one."""

    def __new__(cls, value: Any) -> _At:
        """The cell with this value."""
        return super().__new__(cls, (value,))

    def __getitem__(self, index: Any) -> Any:
        return super().__getitem__(0)


def _line(terms: n.Terms) -> Line | None:
    """A linear sum that must be at most nothing; None for what is not linear."""
    if any(len(monomial) > 1 for monomial in terms) or not any(terms):
        return None
    poly = n.whole(terms)
    return dict(poly).get((), 0), tuple((monomial[0], factor) for monomial, factor in poly if monomial)


def _scaled(terms: n.Terms) -> n.Poly:
    return n.whole(terms) if terms else ()


def _open(outcomes: int) -> bool:
    return outcomes not in (n.TRUE, n.FALSE, n.UNDEFINED)


_OUTCOME = {True: n.TRUE, False: n.FALSE, None: n.UNDEFINED}


def junction(values: list[int], deciding: int, neutral: int) -> int:
    """Kleene: of `and` false decides, of `or` true."""
    made = 0
    all_neutral, may_undefined = True, False
    for value in values:
        if value == deciding:
            return deciding
        made |= value & deciding
        if not value & neutral:
            all_neutral = False
        if value & n.UNDEFINED:
            may_undefined = True
    return made | (neutral if all_neutral else 0) | (n.UNDEFINED if may_undefined else 0)


def _interval(poly: n.Poly) -> Any:
    """A polynomial over variables that are never negative, as a function of a box: its least and greatest value."""
    constant = dict(poly).get((), 0)
    linear = [(monomial[0], factor) for monomial, factor in poly if len(monomial) == 1]
    rest = [(monomial, factor) for monomial, factor in poly if len(monomial) > 1]
    ups = [(v, f) for v, f in linear if f > 0]
    downs = [(v, f) for v, f in linear if f < 0]

    def form(low: tuple[int, ...], high: tuple[int, ...]) -> tuple[int, int]:
        """Bounds of the polynomial over a box of counts, least and greatest."""
        least = greatest = constant
        for v, f in ups:
            least += f * low[v]
            greatest += f * high[v]
        for v, f in downs:
            least += f * high[v]
            greatest += f * low[v]
        for monomial, f in rest:
            small, big = f, f
            for v in monomial:
                small, big = small * low[v], big * high[v]
            least += small if f > 0 else big
            greatest += big if f > 0 else small
        return least, greatest

    form.variables = tuple(sorted({v for monomial, _ in poly for v in monomial}))  # type: ignore[attr-defined]
    return form
