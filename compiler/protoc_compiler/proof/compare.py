"""Compares two protocols: each rule alone, and the verdict as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from protoc_compiler import core
from protoc_compiler.drift.reads import apart, as_one, readers
from protoc_compiler.proof import nodes as n
from protoc_compiler.proof.answers import Answer, Comparison, Finding, Witness
from protoc_compiler.proof.ask import Chosen, Engine, Outcome, Possible, TooMany, deep, features_of
from protoc_compiler.proof.closing import Closing, TooDeep
from protoc_compiler.proof.conditions import Budget
from protoc_compiler.proof.placed import recelled, shuffled
from protoc_compiler.proof.reached import Wanted
from protoc_compiler.proof.rules import Side, told_apart
from protoc_compiler.proof.shown import witness_of
from protoc_compiler.proof.space import Space
from protoc_runtime.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from protoc_compiler.drift.referred import Referred
    from protoc_compiler.proof.fewer import Decided
    from protoc_compiler.proof.interpret import Tables
    from protoc_compiler.proof.solver import Limits, Solver

BUDGET = 8_000  # on the seeds and field protocols no question took more than 3,500 steps and then was decided
_DEEP = 3  # the level from which on less work is allowed
Renamed = Mapping[tuple[str, str], str]


def compare(
    old: core.Protocol, new: core.Protocol, *, renamed: Renamed | None = None, replay: bool = True,
    solver: bool = True, budget: int = BUDGET,
) -> Comparison:  # fmt: skip
    """Every rule whose meaning differs, and the verdict. `renamed`: (space, old name) -> new name.

    `replay`: turn each witness into rows and let both compiled protocols decide them. `solver`: ask z3, if it is
    installed, what the engine leaves open. `budget`: steps of work for each question.
    """
    return Pair(old, new, renamed, replay, solver, budget).compared()


class Pair:
    """Two protocols in one space."""

    def __init__(
        self, old: core.Protocol, new: core.Protocol, renamed: Renamed | None = None, replay: bool = True,
        solver: bool = True, budget: int = BUDGET, limits: Limits | None = None,
    ) -> None:  # fmt: skip
        """`limits`: of what z3 does, where others than its own are wanted."""
        self._reading = [readers(side) for side in (old, new)]
        new = as_one(new, old)
        tables = {table.name: table for table in (*old.tables, *new.tables)}
        self.space = Space(tables)
        moved, others = shuffled(old, new), recelled(old, new)
        self._apart = apart(old, new, self._reading)
        chosen = frozenset(thing[1] for thing in self._apart if thing[0] == "table")
        referred = _referred(old, new) if others else None
        self.old = Side(old, self.space, moved, others, None, chosen, referred)
        self.new = Side(new, self.space, moved, others, self._closed, chosen, referred)
        self.renamed: Renamed = renamed or {}
        self.replay, self.solver, self.budget = replay, solver, budget
        self._limits = limits
        self._moved: list[tuple[str, str, str]] = []  # the rules that differ
        self._engines: dict[tuple[tuple[str, frozenset[int]], ...], Engine | None] = {}

    def compared(self) -> Comparison:
        """Every rule that differs, and the verdict."""
        pairs = [(space, *names) for space in ("gates", "blockers") for names in self._paired(space)]
        rules = tuple(found for pair in pairs if (found := self._rule(*pair)) is not None)
        self._moved = [(found.space, found.name, found.other) for found in rules]
        told = not (self.old.left_out or self.new.left_out)
        return Comparison(rules, self._verdict(), told and self.alike, self.alike)

    @cached_property
    def alike(self) -> bool:
        """Whether both expect the same of the rows that are scored."""
        return frozenset(self.old.expected) == frozenset(self.new.expected)

    def _rule(self, space: str, name: str, other: str) -> Finding | None:
        """What happens to a rule; None where it means the same. On other data, what it means is of no use where there
        is nothing beside it."""
        names = space, name or other, other or name
        if not (self.alike or (name and other)):
            return _open(*names)
        before, after = self.old.good(space, name), self.new.good(space, other)
        return self._finding(*names, before, after) if before != after else None

    def _closed(self, space: str, name: str) -> core.Expr | None:
        """The closed formula of a value that means the same in both protocols."""
        return None if ("item", space, name) in self._apart else self.old.closing.item(space, name)

    def _verdict(self) -> Finding:
        """What can be released; where several words are, also as which of them."""
        if not self.alike:
            return _open("verdict", "verdict", "verdict")  # data that only one of them takes is not released
        whole = self._finding("verdict", "verdict", "verdict", self.old.released, self.new.released)
        words = told_apart(self.old.protocol, self.new.protocol)
        sides = [(word, self.old.released_as(word), self.new.released_as(word)) for word in words]
        found = [whole, *(self._finding("verdict", word, word, one, two) for word, one, two in sides)]
        looser, stricter = _most([one.looser for one in found]), _most([one.stricter for one in found])
        return replace(whole, looser=looser, stricter=stricter)

    def _paired(self, space: str) -> list[tuple[str, str]]:
        """Old names with new ones; empty where one side has no such rule."""
        before = [item.name for item in self.old.protocol.of(space)]
        after = [item.name for item in self.new.protocol.of(space)]
        made = [(name, self.renamed.get((space, name), name)) for name in before]
        made = [(name, other if other in after else "") for name, other in made]
        taken = {other for _, other in made}
        return made + [("", name) for name in after if name not in taken]

    def _finding(self, space: str, name: str, other: str, before: int, after: int) -> Finding:
        if before == after:
            return Finding(space, name, other, Answer("no"), Answer("no"))
        if not self.alike:
            return _open(space, name, other)
        looser = self._answer((space, name, other), {before: n.FALSE, after: n.TRUE}, before, after)
        stricter = self._answer((space, name, other), {before: n.TRUE, after: n.FALSE}, before, after)
        return Finding(space, name, other, looser, stricter)

    def _answer(self, names: tuple[str, str, str], wanted: Wanted, before: int, after: int) -> Answer:
        """One question, with more and more of the protocol counted; then the same for the solver, if it is open."""
        answer = Answer("unknown", None, "more conditions on rows are read than can be counted together")
        levels = []
        for chosen in self.levels(before, after):
            engine = self.engine(chosen)
            if engine is None:
                break
            levels.append(engine)
            outcome = engine.ask(wanted, Budget(self.budget if len(levels) < _DEEP else self.budget // 4))
            answer = self._better(answer, outcome, names, wanted, before, after)
            if answer.state in ("no", "yes") or (answer.state == "possible" and not self.replay):
                return answer
        return self._solved(answer, levels, names, wanted, before, after) if answer.state == "unknown" else answer

    def _solved(
        self, answer: Answer, levels: list[Engine], names: tuple[str, str, str], wanted: Wanted, before: int, after: int
    ) -> Answer:
        """What z3 says of the question; without it, how to get it."""
        from protoc_compiler.proof import solver

        if not self.solver or not levels:
            return answer
        if not solver.available():
            return replace(answer, reason=f"{answer.reason}; a solver may decide it: {solver.INSTALL}")
        for engine in levels:
            outcome = self.asked.solve(engine, wanted, "verdict" if names[0] == "verdict" else "rules")
            answer = self._better(answer, outcome, names, wanted, before, after)
            if answer.state in ("no", "yes"):
                break
        return answer

    @cached_property
    def asked(self) -> Solver:
        """What z3 is asked of the two."""
        from protoc_compiler.proof.solver import Solver

        return Solver(self._limits)

    def _better(
        self, answer: Answer, outcome: Outcome, names: tuple[str, str, str], wanted: Wanted, before: int, after: int
    ) -> Answer:
        """The answer with one more outcome."""
        if outcome.state == "impossible":
            return Answer("no")
        if outcome.state == "open" or outcome.found is None:
            return answer if answer.state == "possible" else Answer("unknown", None, outcome.reason)
        return self._witnessed(names, wanted, outcome.found, outcome.reason, before, after)

    def _witnessed(
        self, names: tuple[str, str, str], wanted: Wanted, found: Possible, reason: str, before: int, after: int
    ) -> Answer:
        space = names[0]
        words = self.old.words(space, wanted[before] == n.TRUE), self.new.words(space, wanted[after] == n.TRUE)
        witness = witness_of(self.new, found, *words, self.old)
        if not self.replay:
            return Answer("possible", witness, reason or "it was not replayed")
        from protoc_compiler.proof.replay import NotReplayed

        try:
            shown = self._replayed(names, wanted, found, before, after, witness)
        except NotReplayed as why:
            return Answer("possible", witness, str(why))
        return Answer("yes", replace(witness, replayed=True, **shown))

    def _replayed(
        self, names: tuple[str, str, str], wanted: Wanted, found: Possible, before: int, after: int, witness: Witness
    ) -> dict[str, Any]:
        """Both compiled protocols on the rows of a witness: what the verdicts are, and what was measured. Raises
        `NotReplayed`."""
        from protoc_compiler.proof.fewer import fewer
        from protoc_compiler.proof.measured import Sides
        from protoc_compiler.proof.realise import realised
        from protoc_compiler.proof.replay import NotReplayed, good

        space, name, other = names
        outcomes = {**dict.fromkeys(self.new.expected, n.TRUE), **wanted}
        made = realised(self.space, found, outcomes, self.new.splits)
        if made is None:
            raise NotReplayed("no rows with these counts were found")
        decided = self._decided(made)
        old, new = self.old.protocol, self.new.protocol
        seen = good(old, decided.old, space, name), good(new, decided.new, space, other)
        if seen != (wanted[before] == n.TRUE, wanted[after] == n.TRUE):
            reason = "there are counts on which they differ, but on the rows that were made of these counts they do not"
            raise NotReplayed(reason)
        if not witness.counts and not witness.groups:  # else fewer rows have other counts
            many = [root for root, population in found.model.populations.items() if not population.bounded]
            made, decided = fewer(made, many, decided, self._decided)
        rows, one, two = decided.rows, decided.old, decided.new
        shown: dict[str, Any] = {"rows": rows, "errors": sum(row.error for own in made.values() for row in own)}
        if space == "verdict":
            renamed = bool(one["released"] and two["released"])
            shown |= {"old": str(one["verdict"]), "new": str(two["verdict"]), "renamed": renamed}
        tables = {root: len(rows[root]) for root in (found.model.populations or rows) if rows.get(root)}
        sides = Sides((old, new), (one, two))
        counts = [name for name, _ in witness.counts]
        if space == "verdict":  # all of them, for other rules have their say, too
            return {**shown, "measured": sides.measured(self._moved, tables, counts, counts)}
        return {**shown, "measured": sides.measured([names], tables, counts)}

    def _decided(self, made: Tables) -> Decided:
        """What both compiled protocols say of rows. Raises `NotReplayed`."""
        from protoc_compiler.proof.fewer import Decided
        from protoc_compiler.proof.replay import Folder, results
        from protoc_compiler.proof.written import written

        files = Folder(written(self.space, made))
        return Decided(files.rows, *(results(side.protocol, files, beside=True) for side in (self.old, self.new)))

    def levels(self, before: int, after: int) -> Iterator[Chosen]:
        """Which features are counted: those of what has changed; then of conditions with one more; then of all."""
        one, other = deep(self.space, [before]), deep(self.space, [after])
        changed = one ^ other
        whole = deep(self.space, [number for number in changed if self.space.nodes.all[number][0] == "group"])
        chosen = first = features_of(self.space, changed | whole)
        yield first
        every = features_of(self.space, one | other)
        signs = [number for number in sorted(one | other) if self.space.nodes.all[number][0] == "sign"]
        expected = features_of(self.space, deep(self.space, self.new.expected))
        grouped = [number for number in one | other if self.space.nodes.all[number][0] == "group"]
        more = _joined(chosen, expected, features_of(self.space, deep(self.space, grouped)))
        if more != chosen:
            yield more
            chosen = more
        for number in signs:
            read = features_of(self.space, [number])
            if all(root in chosen and len(used - chosen[root]) <= 1 for root, used in read.items()):
                more = {root: more[root] | read.get(root, frozenset()) for root in more}
        if more != chosen:
            yield more
        if every not in (first, chosen, more):
            yield every

    def engine(self, chosen: Chosen) -> Engine | None:
        """The engine that counts these features; None if there are too many."""
        key = tuple(sorted(chosen.items()))
        if key not in self._engines:
            rules = {**self.old.rules(), **self.new.rules()}
            try:
                self._engines[key] = Engine(self.space, chosen, self.new.expected, rules)
            except TooMany:
                self._engines[key] = None
        return self._engines[key]


def _open(space: str, name: str, other: str) -> Finding:
    """What is said of anything that differs where each of the two takes data that the other refuses."""
    answer = Answer("unknown", None, "the two expect different data")
    return Finding(space, name, other, answer, answer)


def _most(answers: list[Answer]) -> Answer:
    """Of answers to one question about several words the one that says most."""
    return max(answers, key=lambda one: ("no", "unknown", "possible", "yes").index(one.state))


def _joined(*all_chosen: Chosen) -> Chosen:
    made: Chosen = {}
    for chosen in all_chosen:
        for root, used in chosen.items():
            made[root] = made.get(root, frozenset()) | used
    return made


def _referred(old: core.Protocol, new: core.Protocol) -> Referred:
    from protoc_compiler.drift.referred import Referred  # few pairs have other listed rows

    return Referred(old, new)


__all__ = ["Closing", "TooDeep", "Witness", "compare"]
