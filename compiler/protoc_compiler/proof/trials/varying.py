"""What moves the numbers that two rules compare: single cells of rows, found by trying each of them once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cached_property
from typing import Any

from protoc_compiler import core
from protoc_compiler.proof.trials.bounds import Compared, limits
from protoc_compiler.proof.trials.ground import Ground
from protoc_compiler.proof.trials.judge import Unfit
from protoc_compiler.proof.trials.moves import Moves, owners
from protoc_compiler.proof.trials.rowset import Own, Rowset
from protoc_compiler.proof.trials.values import Place
from protoc_runtime.record import record

_WAYS = 6  # variations of the rows of one table that are used
_VALUES = 12  # of a column that are tried
Rules = list[tuple[str, str, str]]


@record
class Variation:
    """A change of one row, or of those that belong to it: a cell, or that they are not there (`column` is "")."""

    table: str
    column: str
    value: Any

    def make(self, moves: Moves, rows: Rowset, row: Own) -> None:
        """Change it; what belongs to rows that are gone is gone, too."""
        mine = [row] if row.table == self.table else [one for one in rows.tables[self.table] if _below(one, row)]
        if self.column:
            for one in mine:
                one.cells[self.column] = self.value
        elif mine:
            moves.dropped(rows, mine).make(rows)


class Varying:
    """Rows on which one side is as wanted, what the rules in question compare on them, and what moves that."""

    def __init__(self, trials: Ground, rules: Rules, to: int, places: frozenset[Place], first: Rowset) -> None:
        """`rules`: the rules that differ, each with its old and new name. `to`: the side that is as wanted. `places`:
        what may be changed."""
        self.trials, self.moves, self.rules, self.to = trials, trials.moves, rules, to
        self.judge = trials.judges[to]
        self.places, self.first = places, first
        self.seen = self._compared(first)

    def tables(self) -> list[core.Table]:
        """The tables of which some rows may be otherwise than others."""
        return [table for table in self.trials.tables if not table.record and self.first.tables.get(table.name)]

    def _compared(self, rows: Rowset) -> list[dict[str, Compared]]:
        """By side and rule."""
        made: list[dict[str, Compared]] = []
        for side, judge in enumerate(self.trials.judges):
            try:
                judge.look_at(rows)
            except Unfit:
                return [{}, {}]
            made.append({f"{rule[0]}.{rule[1]}": judge.compares(rule[0], rule[1 + side]) for rule in self.rules})
        return made

    def defined(self, near: Callable[[Rowset], float]) -> Varying | None:
        """The same on rows of which less of what is compared is undefined, if there are such on which the side is as
        wanted."""
        made = Varying(self.trials, self.rules, self.to, self.places, self.first)
        made._define(near)
        return made if made.first is not self.first else None

    def _define(self, near: Callable[[Rowset], float]) -> None:
        undefined = self._undefined()
        for table in self.tables() if undefined else ():
            for one in self._variations(table):
                if one.table != table.name:
                    continue
                rows, before = self.first.copied(), (self.first, self.seen)
                for row in rows.tables[table.name]:
                    one.make(self.moves, rows, row)
                if not self.trials.work.spend(rows):
                    return
                self.first, self.seen = rows, self._compared(rows)
                found = self._undefined()
                if found >= undefined or near(rows) > 0:
                    self.first, self.seen = before
                elif not found:
                    return
                else:
                    undefined = found

    def _undefined(self) -> int:
        """How much of what any rule compares is undefined."""
        compared = [*self._of_all_rules(), *(rule for side in self.seen for rule in side.values())]
        return sum(None in pair for rule in compared for pairs in rule.values() for pair in pairs)

    @cached_property
    def kept_shares(self) -> list[Fraction]:
        """The shares that other rules ask for: the strictest first."""
        return sorted({share for rule in self._of_all_rules() for share in limits(rule)}, reverse=True)

    def _of_all_rules(self) -> list[Compared]:
        """What each rule of the wanted side compares; nothing where the rows cannot be looked at."""
        try:
            self.judge.look_at(self.first)
        except Unfit:
            return []
        return [self.judge.compares(*rule) for rule in self.judge.rules()]

    def ways(self, table: core.Table) -> list[Variation]:
        """Single changes that move what is compared, each in another way; those first that leave right what else is
        asked of the rows."""
        known: dict[tuple[str, str, str], tuple[int, int, Variation]] = {}
        before = repr(self.seen)
        for at, one in enumerate(self._variations(table)):
            rows = self.first.copied()
            for row in rows.tables[table.name]:
                one.make(self.moves, rows, row)
            if not self.trials.work.spend(rows):
                break
            told = one.table, one.column, repr(self._compared(rows))
            if told[-1] != before:
                rows = self.first.copied()
                one.make(self.moves, rows, rows.tables[table.name][-1])
                wrong = self._wrong(rows)
                known[told] = min(known.get(told, (wrong, at, one)), (wrong, at, one), key=lambda way: way[:2])
        return [one for _, _, one in sorted(known.values(), key=lambda way: way[:2])][:_WAYS]

    def _wrong(self, rows: Rowset) -> int:
        """How much is wrong beside the rules in question; what is expected of rows weighs most."""
        judge = self.judge
        mine = {(rule[0], rule[1 + self.to]) for rule in self.rules}
        rules = [key for key in judge.rules() if key not in mine]
        try:
            judge.look_at(rows)
            wrong = [judge.ask(*key).state is not True for key in rules]
            return sum(wrong) + len(rules) * (judge.expected() > 0)
        except Unfit:
            return 2 * len(rules) + 1

    def _variations(self, table: core.Table) -> Iterator[Variation]:
        """Of rows of a table and of those that belong to them."""
        for other in self._and_below(table):
            for column in self.moves.free[other.name]:
                if (other.name, column.name) in self.places:
                    making, values = self.moves.making, self.moves.values
                    row = column.type.kind == "row"
                    some = making.domain(self.first, column) if row else values.plain(other, column)
                    yield from (Variation(other.name, column.name, value) for value in some[:_VALUES])
            if other is not table:
                yield Variation(other.name, "", None)

    def _and_below(self, table: core.Table) -> Iterator[core.Table]:
        row = self.first.tables[table.name][-1]
        for other in self.trials.tables:
            if other is table or any(_below(one, row) for one in self.first.tables[other.name]):
                yield other


def _below(one: Own, row: Own) -> bool:
    return any(owner is row for owner in owners(one))


__all__ = ["Rules", "Variation", "Varying"]
