"""Which sums over all groups are attainable, and with which outcomes of conditions on groups.

Every group (a stratum, say) has so many rows of each class. All its possible counts are listed once; sets of sums are
bit sets, one bit for each sum, and adding a group shifts them. Sums that an answer cannot have are dropped on the way.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from math import comb
from typing import Any

from protoc_compiler.proof import nodes as n
from protoc_compiler.proof.model import Model
from protoc_compiler.proof.search import Box, Budget, Wanted, cone
from protoc_runtime.record import record

MOST_VECTORS = 60_000
MOST_BITS = 1 << 26
_STEPS = 400  # of looking for such ways
_FEW = 4  # ways to give the groups their totals that are tried one by one


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
        self._block_of = {block: names.setdefault(frozenset(found), len(names)) for block, found in seen.items()}
        made: dict[tuple[frozenset[int], int], int] = {}
        self.class_of: list[int] = []
        for one in self.population.classes:
            key = (one.symbols & own, self._block_of[one.block])
            self.class_of.append(made.setdefault(key, len(made)))
        self.default = [-1] * len(names)
        for block, at in enumerate(self.population.defaults):
            if self.default[self._block_of[block]] < 0:
                self.default[self._block_of[block]] = self.class_of[at]
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


class Sums:
    """The attainable sums of all groups for one question."""

    def __init__(self, groups: Groups, wanted: Wanted, box: Box, budget: Budget) -> None:
        self.groups = groups
        self.budget = budget
        self.forms = groups.forms()
        self.caps = [_greatest(form, box) for form in self.forms]
        self.least = [_least(form, box) for form in self.forms]
        self.wanted = [wanted.get(number, n.ANYTHING) for number in groups.conditions]
        read = cone(groups.space, wanted)
        self.relevant = sum(7 << (3 * at) for at, number in enumerate(groups.conditions) if number in read)
        self.kinds = [str(groups.space.nodes.all[number][2]) for number in groups.conditions]
        self.totals = len(groups.default) - 1
        self.known = self.totals + len(groups.counted)
        self._lay_out()
        self.orders = self._orders()

    def _lay_out(self) -> None:
        """Where each coordinate stands in the number of a bit: with room for one sum too many."""
        number = self.groups.number
        self.radix: list[int] = []
        self.stride: list[int] = []
        stride = 1
        for at in reversed(range(len(self.caps))):
            natural = number * max(vector.place[at] for vector in self.groups.vectors)
            self.caps[at] = min(self.caps[at], natural)
            self.radix.insert(0, min(natural, 2 * self.caps[at]) + 1)
            self.stride.insert(0, stride)
            stride *= self.radix[0]
        if stride > MOST_BITS:
            raise NotCountable("the groups have too many sums")
        valid = 1
        for at in reversed(range(len(self.caps))):
            valid = _repeated(valid, self.stride[at], self.caps[at] + 1)
        self.valid = valid

    def _orders(self) -> list[list[list[Vector]]]:
        """For each group the vectors that it may have: by kind, if few ways to choose the kinds fit the totals."""
        usable = [v for v in self.groups.vectors if self._fits(v)]
        kinds: dict[tuple[int, ...], list[Vector]] = {}
        for vector in usable:
            kinds.setdefault(vector.place[: self.known], []).append(vector)
        ways = self._ways(sorted(kinds))
        if ways is None:
            return [[usable] * self.groups.number]
        return [[kinds[kind] for kind, times in way for _ in range(times)] for way in ways]

    def _fits(self, vector: Vector) -> bool:
        return all(value <= cap for value, cap in zip(vector.place, self.caps, strict=True)) and self.may(
            vector.shows & self.relevant
        )

    def _ways(self, kinds: list[tuple[int, ...]]) -> list[list[tuple[tuple[int, ...], int]]] | None:
        """How many groups of each kind there may be, if there are few ways; None otherwise."""
        found: list[list[tuple[tuple[int, ...], int]]] = []
        steps = 0

        def walk(at: int, left: int, sums: tuple[int, ...], way: list[tuple[tuple[int, ...], int]]) -> bool:
            nonlocal steps
            steps += 1
            if steps > _STEPS or len(found) > _FEW:
                return False
            if any(value > cap for value, cap in zip(sums, self.caps, strict=False)):
                return True
            if at == len(kinds):
                if not left and all(low <= value for low, value in zip(self.least, sums, strict=False)):
                    found.append(list(way))
                return True
            for times in range(left + 1) if at + 1 < len(kinds) else [left]:
                more = tuple(value + times * own for value, own in zip(sums, kinds[at], strict=True))
                if not walk(at + 1, left - times, more, [*way, (kinds[at], times)] if times else way):
                    return False
            return True

        done = walk(0, self.groups.number, (0,) * self.known, [])
        return found if done and len(found) <= _FEW else None

    def may(self, shows: int) -> bool:
        """Whether the outcomes that are wanted can still come of what some groups show."""
        return all(self.outcomes(shows, at, whole=False) & want for at, want in enumerate(self.wanted))

    def outcomes(self, shows: int, at: int, whole: bool) -> int:
        """The outcomes of a condition on groups, from what all of them (or only some of them) show."""
        seen = (shows >> (3 * at)) & 7
        deciding, other = (n.FALSE, n.TRUE) if self.kinds[at] == "all" else (n.TRUE, n.FALSE)
        if seen & deciding:
            return deciding
        if not whole:
            return deciding | n.UNDEFINED if seen & n.UNDEFINED else n.ANYTHING
        if seen & n.UNDEFINED:
            return n.UNDEFINED
        return other if seen or self.kinds[at] == "some" else n.UNDEFINED

    def _road(self, order: list[list[Vector]]) -> list[tuple[dict[int, int], list[Vector]]]:
        """The attainable sums after each group."""
        steps: list[tuple[dict[int, int], list[Vector]]] = [({0: 1}, [])]
        prepared: dict[int, dict[int, list[tuple[int, int]]]] = {}
        for vectors in order:
            if id(vectors) not in prepared:
                prepared[id(vectors)] = self._runs(vectors)
            runs = prepared[id(vectors)]
            sums: dict[int, int] = {}
            for shows, bits in steps[-1][0].items():
                for more, offsets in runs.items():
                    both = shows | more
                    if self.may(both):
                        sums[both] = sums.get(both, 0) | self._shifted(bits, offsets)
            steps.append(({shows: bits for shows, bits in sums.items() if bits}, vectors))
        return steps

    def _runs(self, vectors: list[Vector]) -> dict[int, list[tuple[int, int]]]:
        """By what they show, the places of vectors as stretches (first, length)."""
        places: dict[int, set[int]] = {}
        for vector in vectors:
            places.setdefault(vector.shows & self.relevant, set()).add(self.bit(vector.place))
        made = {}
        for shows, found in places.items():
            runs: list[tuple[int, int]] = []
            for place in sorted(found):
                if runs and runs[-1][0] + runs[-1][1] == place:
                    runs[-1] = (runs[-1][0], runs[-1][1] + 1)
                else:
                    runs.append((place, 1))
            made[shows] = runs
        return made

    def _shifted(self, bits: int, runs: list[tuple[int, int]]) -> int:
        made = 0
        stretched: dict[int, int] = {1: bits}
        for place, length in runs:
            self.budget.spend(1 + (bits.bit_length() >> 20))
            if length not in stretched:
                stretched[length] = _stretched(bits, length)
            made |= stretched[length] << place
        return made & self.valid

    def bit(self, place: tuple[int, ...]) -> int:
        """The number of the bit of a place."""
        return sum(value * stride for value, stride in zip(place, self.stride, strict=True))

    # --- questions ------------------------------------------------------------------------------------------

    @cached_property
    def roads(self) -> list[list[tuple[dict[int, int], list[Vector]]]]:
        """The attainable sums after each group, for each order of groups."""
        return [self._road(order) for order in self.orders]

    def endings(self) -> dict[int, int]:
        """By what all groups show, the attainable sums."""
        made: dict[int, int] = {}
        for road in self.roads:
            for shows, bits in road[-1][0].items():
                if all(self.outcomes(shows, at, whole=True) & want for at, want in enumerate(self.wanted)):
                    made[shows] = made.get(shows, 0) | bits
        return made

    def groups_of(self, shows: int, place: tuple[int, ...]) -> list[Vector]:
        """Groups that have this sum and show this together."""
        for road in self.roads:
            if road[-1][0].get(shows, 0) >> self.bit(place) & 1:
                return self._back(road, shows, place)
        raise ValueError("this sum is not attainable")

    def _back(
        self, road: list[tuple[dict[int, int], list[Vector]]], shows: int, place: tuple[int, ...]
    ) -> list[Vector]:
        made = []
        for at in range(len(road) - 1, 0, -1):
            before = road[at - 1][0]
            vector, shows = next(self._steps_back(before, road[at][1], shows, place))
            place = tuple(value - own for value, own in zip(place, vector.place, strict=True))
            made.append(vector)
        return made[::-1]

    def _steps_back(
        self, before: dict[int, int], vectors: list[Vector], shows: int, place: tuple[int, ...]
    ) -> Iterator[tuple[Vector, int]]:
        for vector in sorted(vectors, key=lambda one: (sum(one.place[self.totals :]), one.place)):
            left = tuple(value - own for value, own in zip(place, vector.place, strict=True))
            if min(left, default=0) >= 0:
                for earlier, bits in before.items():
                    if earlier | (vector.shows & self.relevant) == shows and bits >> self.bit(left) & 1:
                        yield vector, earlier


class Attainable:
    """The sums of one ending, for the search."""

    def __init__(self, sums: Sums, bits: int) -> None:
        self.sums = sums
        self.bits = bits

    def meets(self, box: Box) -> bool:
        """Whether some attainable sum lies in the box."""
        low = [max(0, _least(form, box)) for form in self.sums.forms]
        high = [min(cap, _greatest(form, box)) for form, cap in zip(self.sums.forms, self.sums.caps, strict=True)]
        if any(a > b for a, b in zip(low, high, strict=True)):
            return False
        return self._meets(self.bits, 0, low, high)

    def undecided(self, box: Box) -> int | None:
        """The widest variable of a sum that still has several values in the box."""
        low, high = box
        open_ones = {
            monomial[0]
            for form in self.sums.forms
            if _least(form, box) != _greatest(form, box)
            for monomial in form
            if monomial and low[monomial[0]] < high[monomial[0]]
        }
        return max(sorted(open_ones), key=lambda v: high[v] - low[v], default=None)

    def _meets(self, bits: int, at: int, low: list[int], high: list[int]) -> bool:
        if not bits:
            return False
        if at == len(low):
            return bool(bits & 1)
        stride = self.sums.stride[at]
        if at == len(low) - 1:
            return bool((bits >> low[at]) & ((1 << (high[at] - low[at] + 1)) - 1))
        window = (1 << stride) - 1
        return any(
            self._meets((bits >> (value * stride)) & window, at + 1, low, high)
            for value in range(low[at], high[at] + 1)
        )


def _compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """All ways to write a number as a sum of so many numbers."""
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in _compositions(total - first, parts - 1):
            yield (first, *rest)


def _stretched(bits: int, length: int) -> int:
    """The union of the set moved by 0, 1, ... length - 1."""
    covered = 1
    while covered < length:
        more = min(covered, length - covered)
        bits |= bits << more
        covered += more
    return bits


def _repeated(bits: int, stride: int, times: int) -> int:
    """The set and its copies at each stride."""
    made, covered = bits, 1
    while covered < times:
        more = min(covered, times - covered)
        made |= made << (more * stride)
        covered += more
    return made


def _greatest(form: n.Terms, box: Box) -> int:
    return int(form.get((), 0) + sum(f * (box[1] if f > 0 else box[0])[m[0]] for m, f in form.items() if m).__floor__())


def _least(form: n.Terms, box: Box) -> int:
    return int(
        form.get((), 0) + -(-sum(f * (box[0] if f > 0 else box[1])[m[0]] for m, f in form.items() if m)).__floor__()
    )
