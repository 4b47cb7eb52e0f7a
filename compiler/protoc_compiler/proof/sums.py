"""Attainable sums of groups as bit sets: one bit for each sum, moved by what each group adds.

Sums that an answer cannot have are dropped on the way, and so are groups that show what may not be seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from protoc_compiler.proof import nodes as n
from protoc_compiler.proof.conditions import Box, Budget
from protoc_compiler.proof.groups import Groups, NotCountable, Vector
from protoc_compiler.proof.reached import Wanted, cone

MOST_BITS = 1 << 26
_STEPS = 400  # of looking for such ways
_FEW = 4  # ways to give the groups their totals that are tried one by one


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
        """Where each coordinate stands in the number of a bit: with room for what one group adds to a sum that fits."""
        number = self.groups.number
        self.radix: list[int] = []
        self.stride: list[int] = []
        stride = 1
        for at in reversed(range(len(self.caps))):
            most = max(vector.place[at] for vector in self.groups.vectors)
            self.caps[at] = cap = min(self.caps[at], number * most)
            self.radix.insert(0, min(number * most, cap + min(most, cap)) + 1)
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
            """Collect the ways from kind `at` on; False where there are too many to look at all of them."""
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
        for road in self.roads if any(map(self._ends, self._shown())) else ():
            for shows, bits in road[-1][0].items():
                if self._ends(shows):
                    made[shows] = made.get(shows, 0) | bits
        return made

    def _ends(self, shows: int) -> bool:
        """Whether what all groups show has the outcomes that are wanted."""
        return all(self.outcomes(shows, at, whole=True) & want for at, want in enumerate(self.wanted))

    def _shown(self) -> set[int]:
        """What all groups may show together, whatever their sums are: with no such ending there is no answer."""
        lists = {id(vectors): vectors for order in self.orders for vectors in order}  # groups of a kind share one
        own = {vector.shows & self.relevant for vectors in lists.values() for vector in vectors}
        found: set[int] = set()
        new = {0}
        for _ in range(self.groups.number):
            new = {shows | more for shows in new for more in own if self.may(shows | more)} - found
            found |= new
        return found

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
