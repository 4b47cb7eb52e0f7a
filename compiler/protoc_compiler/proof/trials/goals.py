"""What rows are looked for: those on which one protocol is as wanted, or on which one is and another is not."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import partial
from itertools import chain, zip_longest

from protoc_compiler.proof.trials.building import Building
from protoc_compiler.proof.trials.ground import Ground
from protoc_compiler.proof.trials.judge import Judge, Unfit
from protoc_compiler.proof.trials.moves import LEVELS
from protoc_compiler.proof.trials.rowset import Rowset
from protoc_compiler.proof.trials.truth import Truth
from protoc_compiler.proof.trials.values import Place
from protoc_compiler.proof.trials.varying import Varying

_KICKS = 20
_SOME = 40  # rows from which on a question goes on with fewer of them
_STOPPED = 1_000.0
_SAFE, _STEPS = 0.004, 20  # what it counts for that one side is safe, less than the least distance, and how finely
_APART = 0.6  # of the work that is left, to move the two apart
_SOON, _BUILT = 0.1, 0.75  # of the work that is left, for the likeliest rows that are built, and for the others
_NEAREST = 3  # from how many rows that were built a search goes on
_ANY_RULE = 0.1  # what it counts for that some rule fails beside that one which changed does
_UNEXPECTED = 3.0  # how much more what is expected weighs than what is asked
Asked = Callable[[Judge], Truth]
Told = tuple[float, set[tuple[str, ...]]]


class _Seen:
    """What was found of some rows: how far they are, and which rules failed. `whole`: the same of both
    sides, where these were asked for."""

    __slots__ = ("apart", "near", "others", "whole")

    def __init__(self, near: Told) -> None:
        self.near, self.apart, self.others = near, 0.0, 0.0
        self.whole: Told | None = None


class Goal:
    """Rows on which one protocol is as wanted, and how far others are from it."""

    def __init__(self, trials: Ground, wanted: Judge, deciding: frozenset[Place], asked: Asked) -> None:
        """`wanted` looks at the rows, and `asked` asks it for what is wanted, which may raise `Unfit`."""
        self.trials, self.wanted, self.deciding, self.asked = trials, wanted, deciding, asked
        self.failing: set[tuple[str, ...]] = set()  # the rules that failed on the rows that were looked at last
        self._seen: dict[int, _Seen] = {}  # by mark: more than half of the rows that are tried come up again

    def nearest(self) -> Rowset:
        """Of the rows that are known those that are nearest, to be changed."""
        return min((kept.copied() for kept in [*self.trials.kept, self.trials.start]), key=self.near)

    def first_places(self, narrow: bool) -> Collection[Place]:
        """What to change until one side is as wanted: all that decides, or what the failing rules read."""
        if not narrow:
            return self.deciding
        return self.trials.places(self.failing) & self.deciding

    def near(self, rows: Rowset, bound: float = _STOPPED) -> float:
        """How far the wanted side is from what is wanted of it."""
        mark = rows.mark()
        known = self._seen.get(mark)
        if known is None:
            known = self._seen[mark] = _Seen(self._first(rows))
        else:
            self._again(known.near)
        return known.near[0]

    def _first(self, rows: Rowset) -> Told:
        """What is found of rows."""
        try:
            near = self.short_of(rows)
        except Unfit:
            near = _STOPPED
        self.failing = self.wanted.failing()
        return near, self.failing

    def _again(self, told: Told) -> float:
        """What was found before."""
        self.failing = told[1]
        return told[0]

    def short_of(self, rows: Rowset) -> float:
        """The same. Raises `Unfit`."""
        self.wanted.look_at(rows)
        return _UNEXPECTED * self.wanted.expected() + self.asked(self.wanted).yes


class Question(Goal):
    """One question: rows on which the side `to` is as wanted, and the other is not."""

    def __init__(self, trials: Ground, names: tuple[str, str, str], to: int) -> None:
        asked = partial(self._asked, side=to)
        super().__init__(trials, trials.judges[to], trials.deciding(names[0], names[1:]), asked)
        self.names, self.to = names, to
        self.other = trials.judges[1 - to]
        self.changed = {("item", *key) for key in trials.changed}
        self._best: list[tuple[float, int, Rowset]] = []  # the nearest of the rows that were built
        self.safe = 0.0  # how far the wanted side is from not being as wanted
        self.others = 0.0  # what it counts, beside, how far any rule of the other side is from failing

    def found(self) -> Rowset | None:
        """Rows that show it."""
        rows = self.nearest()
        if self.trials.hunt.climbed(rows, self.near, self.first_places, _KICKS) > 0:
            return None
        if rows.number() > _SOME:
            for level in (2, 1):
                self.trials.hunt.shrunk(rows, self.near, level, self._all_tables(), _SOME)
        self.trials.kept.append(rows.copied())
        starts = self._starts(rows.copied())
        built = chain.from_iterable(chain.from_iterable(zip_longest(*[one.kinds() for one in starts], fillvalue=())))
        hunt, again = self.trials.hunt, rows.copied()
        if starts[0].apart:  # what lies between two bounds is soon built
            with self.trials.work.part(_SOON):
                shown = self._nearest_of(built)
            if shown is not None:
                return shown
        with self.trials.work.part(_SOON if starts[0].apart else _APART):
            if hunt.climbed(rows, self.apart, self._places) <= 0:
                return rows
        with self.trials.work.part(_BUILT):
            shown = self._nearest_of(built) or self._near_built()
        if shown is not None:
            return shown
        if hunt.climbed(again, self.together, self._places) <= 0:
            return again
        return rows if hunt.climbed(rows, self.apart, self._places, _KICKS) <= 0 else None

    def _starts(self, first: Rowset) -> list[Building]:
        """What builds rows to show it, from rows on which the wanted side is as wanted."""
        rules = [self.names] if self.names[0] != "verdict" else [(*key, key[1]) for key in self.trials.changed]
        varying = Varying(self.trials, rules, self.to, self.deciding, first)
        more = varying.defined(self.near)
        return [Building(varying, more is None), *([Building(more, True)] if more is not None else [])]

    def _nearest_of(self, built: Iterator[Rowset]) -> Rowset | None:
        """The first of these rows that shows it; the nearest others are kept."""
        while not self.trials.work.over:
            rows = next(built, None)
            if rows is None or not self.trials.work.spend(rows):
                break
            far = self.apart(rows, _STOPPED)
            if far <= 0:
                return rows
            self._best = sorted([*self._best, (far, len(self._seen), rows)], key=lambda one: one[:2])[:_NEAREST]
        return None

    def _near_built(self) -> Rowset | None:
        """Rows that show it, near the nearest of those that were built."""
        for at, (_, _, rows) in enumerate(self._best):
            with self.trials.work.part(1 / (_NEAREST + 1 - at)):
                if self.trials.hunt.climbed(rows, self.apart, self._places) <= 0:
                    return rows
        return None

    def _places(self, narrow: bool) -> Collection[Place]:
        if not narrow:
            return self.deciding
        return self.trials.places(self.failing | self.changed) & self.deciding

    def shrink(self, rows: Rowset) -> None:
        """Leave rows out as long as what is shown stays."""
        for level in range(1, LEVELS):
            self.trials.hunt.shrunk(rows, self.far, level, self._all_tables())

    def _all_tables(self) -> set[Place]:
        return {(table.name, "") for table in self.trials.tables}

    def far(self, rows: Rowset, bound: float) -> float:
        """How far both sides are from what is wanted of them."""
        mark = rows.mark()
        known = self._seen.get(mark)
        if known is not None and known.near[0] >= bound:
            return self._again(known.near)
        if known is not None and known.whole is not None:
            return self._again(known.whole)
        known = self._seen[mark] = _Seen(self._first(rows))
        near = known.near[0]
        if near >= min(bound, _STOPPED):
            return near
        found = self._both(rows, near)
        if 0 < found < _STOPPED:
            known.apart, known.others = min(1.0, self.safe) if near <= 0 else 0.0, self.others
        self.failing = self.wanted.failing()
        known.whole = found, self.failing
        return found

    def apart(self, rows: Rowset, bound: float) -> float:
        """The same, a little less where the wanted side is safe: what the two look at differently moves it alone, and
        only then the other one."""
        found = self.far(rows, bound)
        known = self._seen[rows.mark()]
        return found - _SAFE * round(_STEPS * known.apart) / _STEPS if known.whole is not None else found

    def together(self, rows: Rowset, bound: float) -> float:
        """The same, and as much by all rules of the other side as by the one that changed."""
        found = self.far(rows, bound)
        return found + self._seen[rows.mark()].others

    def _both(self, rows: Rowset, near: float) -> float:
        try:
            self.safe = self.asked(self.wanted).no
            mine = self._entries(self.wanted, self.to)
            self.other.look_at(rows)
            theirs = self._asked(self.other, 1 - self.to)
            if near <= 0 and theirs.state is not True and self.other.expected() <= 0:
                return 0.0 if self._whole(rows) else 0.5
            pairs = [(mine[key], two) for key, two in self._entries(self.other, 1 - self.to).items() if key in mine]
        except Unfit:
            return _STOPPED
        self.others = 0.0
        if not pairs:
            return near + theirs.no
        one, two = min(pairs, key=lambda pair: _apart(*pair))
        self.safe = one.no if one.yes + two.no <= one.no + two.yes else one.yes
        self.others = (1 - _ANY_RULE) * theirs.no
        return near + _apart(one, two) + _ANY_RULE * theirs.no

    def _whole(self, rows: Rowset) -> bool:
        if not self.other.whole():
            return False
        self.wanted.look_at(rows)
        return self.wanted.whole()

    def _asked(self, judge: Judge, side: int) -> Truth:
        space, name = self.names[0], self.names[1 + side]
        if space != "verdict":
            return judge.ask(space, name)
        return judge.released() if name == "verdict" else judge.released_as(name)

    def _entries(self, judge: Judge, side: int) -> dict[tuple[str, str], Truth]:
        """What the rules that changed come to, by entry; none for a question about one rule."""
        made: dict[tuple[str, str], Truth] = {}
        for space, name in self.trials.changed if self.names[0] == "verdict" else ():
            made |= {(space, entry): one for entry, one in judge.entries(space, name).items()}
        return made


def _apart(one: Truth, two: Truth) -> float:
    return min(one.yes + two.no, one.no + two.yes)
