"""The search itself: from some rows towards rows of which two protocols tell what is wanted.

It climbs: single changes are tried, the widest first, and kept where the distance to what is wanted gets smaller. Where
none helps, some changes are made by numbers that stand for chance, the same ones each time.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from itertools import islice

from protoc_compiler.proof.trials.moves import LEVELS, Moves
from protoc_compiler.proof.trials.rowset import Rowset
from protoc_compiler.proof.trials.values import Place

Far = Callable[[Rowset, float], float]  # the distance, exact where it is below a bound
Wanted = Callable[[bool], Collection[Place]]  # what may be changed: of all that matters, or of what is not right now
_LITTLE, _ANY = 1e-9, 1e9
_WORTH = 0.015  # what more rows must bring: each trial takes longer with them
_FIXED_COST = 20  # what a trial costs beside its rows, in rows


class Work:
    """How much may be done: rows that formulas look at, and those that are made for each trial."""

    def __init__(self, most: int) -> None:
        self.left, self.trials, self.kept = most, 0, 0

    def allow(self, share: float) -> None:
        """From now on do this share of what is left at most."""
        self.kept = int(self.left * (1 - share))

    @contextmanager
    def part(self, share: float) -> Iterator[None]:
        """Meanwhile do this share of what is allowed at most."""
        kept = self.kept
        self.kept = self.left - int((self.left - kept) * share)
        try:
            yield
        finally:
            self.kept = kept

    @property
    def over(self) -> bool:
        """Whether what is allowed is done."""
        return self.left <= self.kept

    def spend(self, rows: Rowset) -> bool:
        """Whether one more trial is allowed; it counts."""
        self.left -= rows.number() + _FIXED_COST
        self.trials += 1
        return not self.over


class Hunt:
    """A search with the moves of two protocols."""

    def __init__(self, moves: Moves, work: Work) -> None:
        self.moves, self.work = moves, work
        self.chance = 1

    def climbed(self, rows: Rowset, far: Far, wanted: Wanted, kicks: int = 0) -> float:
        """Change the rows until the distance is 0, or no change helps, or the work is done; how far they are then."""
        best = self._climb(rows, far, wanted)
        for at in range(kicks):
            if best <= 0 or self.work.over:
                break
            before = rows.copied().tables
            if at % 4 or not self._enlarged(rows):
                self._kick(rows, wanted(False))
            found = self._climb(rows, far, wanted, (True,))
            if found < best or (at % 4 == 0 and found <= best):
                best = found
            else:
                rows.tables = before
        return best

    def _climb(self, rows: Rowset, far: Far, wanted: Wanted, widths: tuple[bool, ...] = (True, False)) -> float:
        if not self.work.spend(rows):
            return float("inf")
        best = far(rows, _ANY)
        while best > 0:
            before = best
            for narrow in widths:
                for level in range(LEVELS):
                    best = self._levelled(rows, far, level, wanted(narrow), best)
                    if best <= 0 or self.work.over:
                        return best
                if best < before - _LITTLE:
                    break
            if best >= before - _LITTLE:
                break
        return best

    def _levelled(self, rows: Rowset, far: Far, level: int, wanted: Collection[Place], best: float) -> float:
        """Change rows in the ways of one level as long as that helps."""
        found = self._pass(rows, far, level, wanted, best)
        while 0 < found < best - _LITTLE and not self.work.over:
            best, found = found, self._pass(rows, far, level, wanted, found)
        return found

    def _pass(self, rows: Rowset, far: Far, level: int, wanted: Collection[Place], best: float) -> float:
        """Try each change of a level once; one that helps as long as it does."""
        for move in self.moves.of(rows, level, wanted):
            before = rows.number()
            move.make(rows)
            if not self.work.spend(rows):
                move.make(rows)
                return best
            found = far(rows, best)
            if found >= best - (_WORTH if rows.number() > before and found > 0 else _LITTLE):
                move.make(rows)
                continue
            best = found
            self.moves.luck[move.place] = self.work.trials
            if best <= 0 or move.tables:
                return best  # other rows are there now: other changes can be made of them
        return best

    def shrunk(self, rows: Rowset, far: Far, level: int, wanted: Collection[Place], few: int = 0) -> None:
        """Leave out rows as long as the distance stays 0 and there are more than `few`."""
        again = True
        while again and rows.number() > few:
            again = False
            for move in self.moves.fewer(rows, level, wanted):
                move.make(rows)
                if not self.work.spend(rows) or far(rows, _LITTLE) > 0:
                    move.make(rows)
                    if self.work.over:
                        return
                    continue
                again = True
                break

    def _enlarged(self, rows: Rowset) -> bool:
        """Of more rows a share can be nearer to a limit."""
        move = self.moves.larger(rows)
        if move is not None:
            move.make(rows)
        return move is not None

    def _kick(self, rows: Rowset, wanted: Collection[Place]) -> None:
        for _ in range(2):
            level = self._next(LEVELS)
            found = list(islice(self.moves.of(rows, level, wanted), 400))
            if found:
                found[self._next(len(found))].make(rows)

    def _next(self, below: int) -> int:
        self.chance = (self.chance * 1_103_515_245 + 12_345) % (1 << 31)
        return (self.chance >> 8) % below


__all__ = ["Far", "Hunt", "Work"]
