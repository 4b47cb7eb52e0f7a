"""What can be, shown by a case: rows, made of counts or found by trying, that the compiled protocol has decided.

Counts alone show nothing: they may be shared out among no groups, and what is not counted is left open.
"""

from __future__ import annotations

from functools import cached_property

from protoc_compiler.proof import nodes as n
from protoc_compiler.proof.ask import Engine, Possible, deep, features_of
from protoc_compiler.proof.conditions import Budget
from protoc_compiler.proof.facts import Facts, Part, without
from protoc_compiler.proof.reached import Wanted
from protoc_compiler.proof.realise import realised
from protoc_compiler.proof.replay import Folder, NotReplayed, good, results
from protoc_compiler.proof.written import written
from protoc_runtime.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, TypeAlias

    from protoc_compiler.proof.trials.reaching import Reaching

    Results: TypeAlias = "dict[str, Any]"

_NO_ROWS = "no rows were found that have such counts and are as the protocol expects"
_FAILURES = 3
_SHORT = 20  # which part of its work counting does before rows are tried


@record
class Settled:
    """Whether something can be: True by a case, False by a proof, None where it is open, which `reason` explains."""

    can: bool | None
    reason: str = ""


@record
class PartFacts:
    """What is known of one condition; None is open. `implied_by` names the conditions that imply it, none if no others
    do."""

    part: Part
    can_pass: bool | None
    can_fail: bool | None
    implied_by: tuple[str, ...] | None


@record
class _Case:
    """Whether results show what is asked for, and how to look for such among rows."""

    shows: Callable[[Results], bool]
    search: Callable[[Reaching], Results | None] | None


class _Counting:
    """One question, asked of counts."""

    def __init__(self, cases: Cases, wanted: Wanted, case: _Case) -> None:
        self.cases, self.wanted, self.case = cases, wanted, case
        self.of_whole = False  # rows were made of counts by which groups have their shares
        self.cut_short: list[Engine] = []  # those that did not come to an end

    def settled(self, engines: Iterator[Engine], steps: int) -> Settled:
        """What comes of it with so much work for each engine."""
        reason = "there are too many kinds of rows"
        self.cut_short = []
        for engine in engines:
            for light in (True, False) if engine.groups is not None else (False,):
                outcome = engine.ask(self.wanted, budget := Budget(steps), light=light)
                if outcome.state == "impossible":
                    return Settled(False)
                reason = outcome.reason or (_NO_ROWS if outcome.found is not None else reason)
                if budget.left < 0:
                    self.cut_short = [*dict.fromkeys([*self.cut_short, engine])]
                if outcome.found is not None and self.cases.worth and not self.of_whole:
                    self.of_whole = not light
                    if self.cases.shown_by(outcome.found, self.wanted, self.case):
                        return Settled(True)
        return Settled(None, reason)


class Cases:
    """The cases that were found for one protocol; each of them may show several things."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.decided: list[Results] = []
        self.worth = _FAILURES  # how often making rows of counts may still fail

    def of(self, part: Part) -> PartFacts:
        """What is known of one condition of a gate."""
        gate = part.gate
        passes = _Case(lambda found: self._holds(found, gate), lambda tries: tries.gates([gate], []))
        can_pass = self._settled({part.node: n.TRUE}, part, passes).can
        can_fail = self._can_fail(part)
        asked = part in self.facts.counted and can_fail is not False
        return PartFacts(part, can_pass, can_fail, self.implied(part) if asked else None)

    def _can_fail(self, part: Part) -> bool | None:
        """Of a gate that joins several conditions a case tells of one only where the others are made to hold."""
        gate = part.gate
        own = [other for other in self.facts.parts if other.gate == gate and other.node != part.node]
        if own and self.facts.ask(self.facts.engine_for(part.node), {part.node: n.FALSE}).state == "impossible":
            return False
        fails = _Case(
            lambda found: not self._holds(found, gate), None if own else lambda tries: tries.gates([], [gate])
        )
        found = self._settled(without(part, own), part, fails).can
        return None if own and not found else found

    def implied(self, part: Part) -> tuple[str, ...] | None:
        """The conditions that imply this one, as few as suffice; empty if the others do not, None if that is open."""
        others = [other for other in self.facts.counted if other.node != part.node]
        if not self.facts.follows(part, others):
            held = list(dict.fromkeys(other.gate for other in others if other.gate != part.gate))
            own = any(other.gate == part.gate for other in others)
            alone = _Case(
                lambda found: not self._holds(found, part.gate) and all(self._holds(found, name) for name in held),
                None if own else lambda tries: tries.gates(held, [part.gate]),
            )
            return () if self._settled(without(part, others), part, alone).can else None
        for other in list(others):
            fewer = [one for one in others if one is not other]
            if self.facts.follows(part, fewer):
                others = fewer
        return tuple(other.name for other in others)

    def verdict(self, word: str) -> Settled:
        """Whether the verdict can be this word."""
        wanted = {self.facts.side.verdict(frozenset([word])): n.TRUE}
        first = self.facts.engine or self.facts.engine_of({})
        case = _Case(lambda found: bool(found["verdict"] == word), lambda tries: tries.word(word))
        return self._asked(wanted, self._engines(first, wanted), case)

    def _settled(self, wanted: Wanted, part: Part, case: _Case) -> Settled:
        return self._asked(wanted, self._engines(self.facts.engine_for(part.node), wanted), case)

    def _holds(self, found: Results, gate: str) -> bool:
        return good(self.facts.protocol, found, "gates", gate)

    def _engines(self, first: Engine | None, wanted: Wanted) -> Iterator[Engine]:
        """With more and more of the protocol counted: what most conditions are about, then all that is asked of."""
        whole = self.facts.engine_of(features_of(self.facts.space, deep(self.facts.space, wanted)))
        yield from dict.fromkeys(engine for engine in (first, whole) if engine is not None)

    def _asked(self, wanted: Wanted, engines: Iterator[Engine], case: _Case) -> Settled:
        """What comes of a question. Rows are tried before counting does all the work that it may: where many counts
        are possible, rows often are found at once."""
        if any(map(case.shows, self.decided)):
            return Settled(True)
        counting = _Counting(self, wanted, case)
        told = counting.settled(engines, self.facts.budget // _SHORT)
        if told.can is not None:
            return told
        tried = case.search(self.tries) if case.search is not None and self.tries is not None else None
        if tried is not None:
            self.decided.append(tried)
            return Settled(True)
        told = counting.settled(iter(counting.cut_short), self.facts.budget) if counting.cut_short else told
        if told.can is None and case.search is not None and self.tries is not None:
            none = f"none of {self.tries.trials.work.trials} sets of rows that were tried shows it"
            return Settled(None, f"{told.reason}; {none}")
        return told

    def shown_by(self, found: Possible, wanted: Wanted, case: _Case) -> bool:
        """Whether rows of these counts show it."""
        made = self._of_counts(found, wanted)
        return bool(made) and case.shows(made)

    def _of_counts(self, found: Possible, wanted: Wanted) -> Results:
        """The results on rows of these counts, nothing where there are none."""
        side = self.facts.side
        try:
            rows = realised(self.facts.space, found, {**dict.fromkeys(side.expected, n.TRUE), **wanted}, side.splits)
            made = results(self.facts.protocol, Folder(written(self.facts.space, rows))) if rows is not None else {}
        except NotReplayed:
            made = {}
        self.worth += 1 if made else -1
        if made:
            self.decided.append(made)
        return made

    @cached_property
    def tries(self) -> Reaching | None:
        """Rows that are tried where counts do not tell, None where none can be."""
        from protoc_compiler.proof.trials.reaching import Reaching, Unfit

        try:
            return Reaching(self.facts.protocol)
        except Unfit:
            return None
