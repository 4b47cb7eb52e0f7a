"""Cases that show a difference between two protocols: rows that were tried, and decided by both verifiers.

First rows are looked for on which one side is as wanted (a rule holds, the verdict is released), then, from there,
rows on which the other side is not. Rows that one question has found are where the next one begins.
"""

from __future__ import annotations

from protoc_compiler import core
from protoc_compiler.proof.answers import Answer, Finding, Witness
from protoc_compiler.proof.measured import Sides
from protoc_compiler.proof.replay import Folder, NotReplayed, good, results
from protoc_compiler.proof.rules import told_apart
from protoc_compiler.proof.trials.goals import Question
from protoc_compiler.proof.trials.ground import LONG, WORK, Ground
from protoc_compiler.proof.trials.rowset import Json, Rowset, as_json
from protoc_runtime.record import replace

_SHARES = 0.3, 0.55, 0.95  # of the work that is left: for a rule, for one of two ways of the verdict, for the only one
_OPEN = ("possible", "unknown")


class Trials(Ground):
    """Tries rows on two protocols. Raises `Unfit` where they read different tables."""

    def __init__(self, old: core.Protocol, new: core.Protocol, work: int = WORK) -> None:
        super().__init__(old, new, work)
        self.share = _SHARES[-1]
        self.shown: Json = {}  # the rows of the last case that was found

    def tried(self, found: Finding) -> tuple[Finding, int]:
        """A finding with cases for what it leaves open, and how many were tried."""
        before = self.work.trials
        names = [(found.space, found.name, found.other)]
        if found.space == "verdict":
            names += [("verdict", word, word) for word in told_apart(*self.sides)]
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
        one, two = (results(side, files, beside=True) for side in self.sides)
        seen = good(self.sides[0], one, space, name), good(self.sides[1], two, space, other)
        if seen != (not question.to, bool(question.to)):
            raise NotReplayed("the two do not differ on these rows")
        words = [_said(space, held) for held in seen]
        if space == "verdict":
            words = [str(one["verdict"]), str(two["verdict"])]
        self.shown = made
        rules = [(*key, key[1]) for key in self.changed] if space == "verdict" else [question.names]
        tables = {table.name: len(made[table.name]) for table in self.tables if made.get(table.name)}
        measured = Sides(self.sides, (one, two)).measured(rules, tables)
        renamed = space == "verdict" and bool(one["released"] and two["released"])
        return Witness((), (), 0, words[0], words[1], True, measured, renamed, made)


def _said(space: str, held: bool) -> str:
    if space == "blockers":
        return "does not fire" if held else "fires"
    return "holds" if held else "does not hold"
