"""Cases that show a difference between two protocols: rows that were tried, and decided by both verifiers.

First rows are looked for on which one side is as wanted (a rule holds, the verdict is released), then, from there,
rows on which the other side is not. Rows that one question has found are where the next one begins.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cached_property

from protoc_compiler import core
from protoc_compiler.drift.reads import Thing, apart, readers
from protoc_compiler.proof.answers import Answer, Finding, Witness
from protoc_compiler.proof.archetype import inputs
from protoc_compiler.proof.closing import Closing
from protoc_compiler.proof.program import Program
from protoc_compiler.proof.replay import Folder, NotReplayed, good, results
from protoc_compiler.proof.scored import Scored
from protoc_compiler.proof.shown import measured_of
from protoc_compiler.proof.trials.hunt import Hunt, Work
from protoc_compiler.proof.trials.judge import Judge, Unfit
from protoc_compiler.proof.trials.making import Making
from protoc_compiler.proof.trials.moves import LEVELS, Moves
from protoc_compiler.proof.trials.rowset import Json, Rowset, as_json
from protoc_compiler.proof.trials.truth import Truth
from protoc_compiler.proof.trials.values import Place, Values
from protoc_runtime.record import replace

WORK = 400_000  # rows that are looked at for one comparison
_MOST = 600  # rows of a case
_DRAWS = 15  # of an interval, while rows are tried
LONG = 3_000_000  # rows that are drawn when a case is decided
_KICKS = 20
_SOME = 40  # rows from which on a question goes on with fewer of them
_STOPPED = 1_000.0
_UNEXPECTED = 3.0  # how much more what is expected weighs than what is asked
_SHARES = 0.3, 0.55, 0.95  # of the work that is left: for a rule, for one of two ways of the verdict, for the only one
_OPEN = ("possible", "unknown")
_RULES = ("gates", "blockers", "checks")


class Trials:
    """Tries rows on two protocols. Raises `Unfit` where they read different tables."""

    def __init__(self, old: core.Protocol, new: core.Protocol, work: int = WORK) -> None:
        self.sides = (old, new)
        if _brought(old) != _brought(new):
            raise Unfit("the two read different tables")
        if not all(map(_written, new.tables)):
            raise Unfit("rows of a table cannot be written as they are read")
        self.work = Work(work)
        scored = [Scored(side, Closing(side)) for side in self.sides]
        judges: dict[int, Judge] = {}  # one for both sides where these are one protocol
        for side, one in zip(self.sides, scored, strict=True):
            if id(side) not in judges:
                judges[id(side)] = Judge(side, Program(_drawing_less(side)), one.left_out(), self.work)
        self.judges = [judges[id(side)] for side in self.sides]
        values = Values(self.sides)
        making = Making(new, values, self.judges[1].listed.fixed(), scored[1].splits)
        self.tables = making.brought
        self.start = making.start()
        self.moves = Moves(making, values, max(_MOST, 2 * self.start.number()))
        self.hunt = Hunt(self.moves, self.work)
        self.kept: list[Rowset] = []
        self.share = _SHARES[-1]
        self.shown: Json = {}  # the rows of the last case that was found

    # --- what reads what --------------------------------------------------------------------------------------------

    @cached_property
    def changed(self) -> list[tuple[str, str]]:
        """The gates, blockers and checks of both that may mean something else in the other."""
        found = apart(*self.sides, [readers(side) for side in self.sides])
        both = [{(item.space, item.name) for item in side.items} for side in self.sides]
        return [key for key in sorted(both[0] & both[1]) if key[0] in _RULES and ("item", *key) in found]

    @cached_property
    def _reaching(self) -> dict[Place, frozenset[Thing]]:
        """By column, and by table where it is the number of its rows, everything that reads it in one of the two."""
        made: dict[Place, frozenset[Thing]] = {}
        for table in self.tables:
            for name in ["", *(column.name for column in inputs(table))]:
                thing = ("column", table.name, name) if name else ("table", table.name)
                made[table.name, name] = frozenset().union(*(readers(side).above([thing]) for side in self.sides))
        return made

    def places(self, things: Collection[Thing]) -> frozenset[Place]:
        """The columns, and numbers of rows, that these read, directly or through others."""
        return frozenset(place for place, above in self._reaching.items() if not above.isdisjoint(things))

    def deciding(self, space: str, names: Iterable[str]) -> frozenset[Place]:
        """The columns, and numbers of rows, that decide rules (or the verdict) and what is expected of rows."""
        asked: set[Thing] = {("item", "verdict", "verdict")}
        if space != "verdict":
            asked = {("item", space, name) for name in names}
        return self.places(asked | {thing for above in self._reaching.values() for thing in above if
                                     thing[0] == "expect"})  # fmt: skip

    def tried(self, found: Finding) -> tuple[Finding, int]:
        """A finding with cases for what it leaves open, and how many were tried."""
        before = self.work.trials
        names = [(found.space, found.name, found.other)]
        if found.space == "verdict":
            both = frozenset(self.sides[0].released) & frozenset(self.sides[1].released)
            names += [("verdict", word, word) for word in sorted(both) if len(both) > 1]
        answers: dict[str, Answer] = {}
        ways = sum([getattr(found, way).state in _OPEN for way in ("looser", "stricter")])
        self.share = _SHARES[0] if found.space != "verdict" else _SHARES[1] if ways == 2 else _SHARES[2]
        for way in ("looser", "stricter"):
            if getattr(found, way).state in _OPEN:
                cases = (self.ask(one, looser=way == "looser") for one in names)
                case = next((case for case in cases if case is not None), None)
                if case is not None:
                    answers[way] = Answer("yes", case)
        return (replace(found, **answers) if answers else found), self.work.trials - before

    # --- questions --------------------------------------------------------------------------------------------------

    def ask(self, names: tuple[str, str, str], *, looser: bool) -> Witness | None:
        """Whether something holds (is released) in the new protocol and not in the old one, or the reverse; as a
        witness that both have decided. `names`: the space, the old and the new name, of the verdict a word of it or
        "verdict". None where no case was found."""
        self.work.allow(self.share)
        question = Question(self, names, int(looser))
        rows = question.found()
        return self._decided(question, rows) if rows is not None else None

    def _decided(self, question: Question, rows: Rowset) -> Witness | None:
        """The witness of these rows, or of fewer of them."""
        whole = rows.copied()
        question.shrink(rows)
        for one in (rows, whole):
            try:
                return self._witness(question, one)
            except NotReplayed:
                continue
        return None

    def _witness(self, question: Question, rows: Rowset) -> Witness:
        if self.drawn(rows) > LONG:
            raise NotReplayed("deciding the rows takes too long")
        space, name, other = question.names
        made = as_json(rows, self.sides[1].tables)
        files = Folder(made)
        one, two = results(self.sides[0], files), results(self.sides[1], files)
        seen = good(self.sides[0], one, space, name), good(self.sides[1], two, space, other)
        if seen != (not question.to, bool(question.to)):
            raise NotReplayed("the two do not differ on these rows")
        words = [_said(space, held) for held in seen]
        if space == "verdict":
            words = [str(one["verdict"]), str(two["verdict"])]
        self.shown = made
        rules = self.changed if space == "verdict" else [(space, other)]
        tables = {table.name: len(made[table.name]) for table in self.tables if made.get(table.name)}
        measured = measured_of(self.sides[1], rules, tables, two["metrics"])
        return Witness((), (), 0, words[0], words[1], True, measured)

    def drawn(self, rows: Rowset) -> int:
        """How many rows are drawn for all intervals to decide these."""
        return sum([interval.draws for side in self.sides for interval in side.intervals]) * rows.number()


class Goal:
    """Rows on which one protocol is as wanted, and how far others are from it."""

    def __init__(self, trials: Trials, wanted: Judge, deciding: frozenset[Place]) -> None:
        self.trials, self.wanted, self.deciding = trials, wanted, deciding

    def asked(self) -> Truth:
        """What is wanted, of the rows that are looked at. Raises `Unfit`."""
        raise NotImplementedError

    def nearest(self) -> Rowset:
        """Of the rows that are known those that are nearest, to be changed."""
        return min((kept.copied() for kept in [*self.trials.kept, self.trials.start]), key=self.near)

    def first_places(self, narrow: bool) -> Collection[Place]:
        """What to change until one side is as wanted: all that decides, or what the failing rules read."""
        if not narrow:
            return self.deciding
        return self.trials.places(self.wanted.failing()) & self.deciding

    def near(self, rows: Rowset, bound: float = _STOPPED) -> float:
        """How far the wanted side is from what is wanted of it."""
        try:
            return self.short_of(rows)
        except Unfit:
            return _STOPPED

    def short_of(self, rows: Rowset) -> float:
        """The same. Raises `Unfit`."""
        self.wanted.look_at(rows)
        return _UNEXPECTED * self.wanted.expected() + self.asked().yes


class Question(Goal):
    """One question: rows on which the side `to` is as wanted, and the other is not."""

    def __init__(self, trials: Trials, names: tuple[str, str, str], to: int) -> None:
        super().__init__(trials, trials.judges[to], trials.deciding(names[0], names[1:]))
        self.names, self.to = names, to
        self.other = trials.judges[1 - to]
        self.changed = {("item", *key) for key in trials.changed}

    def found(self) -> Rowset | None:
        """Rows that show it."""
        rows = self.nearest()
        if self.trials.hunt.climbed(rows, self.near, self.first_places, _KICKS) > 0:
            return None
        if rows.number() > _SOME:
            for level in (2, 1):
                self.trials.hunt.shrunk(rows, self.near, level, self._all_tables(), _SOME)
        self.trials.kept.append(rows.copied())
        return rows if self.trials.hunt.climbed(rows, self.far, self._places, _KICKS) <= 0 else None

    def _places(self, narrow: bool) -> Collection[Place]:
        if not narrow:
            return self.deciding
        return self.trials.places(self.wanted.failing() | self.changed) & self.deciding

    def shrink(self, rows: Rowset) -> None:
        """Leave rows out as long as what is shown stays."""
        for level in range(1, LEVELS):
            self.trials.hunt.shrunk(rows, self.far, level, self._all_tables())

    def _all_tables(self) -> set[Place]:
        return {(table.name, "") for table in self.trials.tables}

    def asked(self) -> Truth:
        """What is wanted of the side `to`."""
        return self._asked(self.wanted, self.to)

    def far(self, rows: Rowset, bound: float) -> float:
        """How far both sides are from what is wanted of them."""
        try:
            near = self.short_of(rows)
            if near >= bound:
                return near
            mine = self._entries(self.wanted, self.to)
            self.other.look_at(rows)
            theirs = self._asked(self.other, 1 - self.to)
            if near <= 0 and theirs.state is not True and self.other.expected() <= 0:
                return 0.0 if self._whole(rows) else 0.5
            pairs = [(mine[key], two) for key, two in self._entries(self.other, 1 - self.to).items() if key in mine]
        except Unfit:
            return _STOPPED
        return near + min([_apart(*pair) for pair in pairs], default=0.0) + theirs.no

    def _whole(self, rows: Rowset) -> bool:
        if not self.other.whole():
            return False
        self.wanted.look_at(rows)
        return self.wanted.whole()

    def _asked(self, judge: Judge, side: int) -> Truth:
        space, name = self.names[0], self.names[1 + side]
        if space != "verdict":
            return judge.ask(space, name)
        return judge.released() if name == "verdict" else judge.word(frozenset({name}))

    def _entries(self, judge: Judge, side: int) -> dict[tuple[str, str], Truth]:
        """What the rules that changed come to, by entry; none for a question about one rule."""
        made: dict[tuple[str, str], Truth] = {}
        for space, name in self.trials.changed if self.names[0] == "verdict" else ():
            made |= {(space, entry): one for entry, one in judge.entries(space, name).items()}
        return made


def _apart(one: Truth, two: Truth) -> float:
    return min(one.yes + two.no, one.no + two.yes)


def _said(space: str, held: bool) -> str:
    if space == "blockers":
        return "does not fire" if held else "fires"
    return "holds" if held else "does not hold"


def _brought(protocol: core.Protocol) -> dict[str, object]:
    """What rows the protocol takes."""
    return {
        table.name: (table.kind, table.key, table.order, table.parent, table.record, table.unpivot, [
            (column.name, column.type, column.optional) for column in inputs(table)
        ])
        for table in protocol.tables if table.kind in ("input", "nested")
    }  # fmt: skip


def _written(table: core.Table) -> bool:
    """Whether rows of a table can be written: long ones are, where each tells its label."""
    return table.unpivot is None or table.unpivot.label in {column.name for column in inputs(table)}


def _drawing_less(protocol: core.Protocol) -> core.Protocol:
    """The protocol with few draws of each interval: what they come to is decided with all of them."""
    less = [replace(one, draws=min(one.draws, _DRAWS)) for one in protocol.intervals]
    return replace(protocol, intervals=tuple(less)) if less else protocol


__all__ = ["Trials", "Unfit"]
