"""Cases that show what one protocol can come to: rows that were tried, and decided by its verifier."""

from __future__ import annotations

from protoc_compiler import core
from protoc_compiler.proof.replay import Folder, NotReplayed, results
from protoc_compiler.proof.trials.goals import Asked, Goal
from protoc_compiler.proof.trials.ground import LONG, Ground
from protoc_compiler.proof.trials.judge import Judge, Unfit
from protoc_compiler.proof.trials.rowset import Rowset, as_json
from protoc_compiler.proof.trials.truth import Truth, all_of, not_

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

_KICKS = 12
_SHARE = 0.2  # of the work that is left, for one question


class Reaching:
    """Tries rows on one protocol. Raises `Unfit` where its rows cannot be written."""

    def __init__(self, protocol: core.Protocol) -> None:
        self.protocol = protocol
        self.trials = Ground(protocol, protocol)

    def gates(self, held: Iterable[str], failed: Iterable[str]) -> dict[str, Any] | None:
        """The results on rows on which these gates hold and those do not; None where no such rows were found."""
        held, failed = list(held), list(failed)

        def goal(judge: Judge) -> Truth:
            """All of it together."""
            return all_of(
                *[judge.ask("gates", name) for name in held], *[not_(judge.ask("gates", name)) for name in failed]
            )

        return self._case("gates", [*held, *failed], goal)

    def word(self, word: str) -> dict[str, Any] | None:
        """The results on rows of which the verdict is this word; None where no such rows were found."""
        return self._case("verdict", ["verdict"], lambda judge: judge.word(frozenset({word})))

    def _case(self, space: str, names: list[str], goal: Asked) -> dict[str, Any] | None:
        trials = self.trials
        trials.work.allow(_SHARE)
        question = _Question(trials, trials.judges[0], trials.deciding(space, names), goal)
        rows = question.nearest()
        if trials.hunt.climbed(rows, question.near, question.first_places, _KICKS) > 0 or trials.drawn(rows) > LONG:
            return None
        trials.kept.append(rows.copied())
        try:
            return results(self.protocol, Folder(as_json(rows, self.protocol.tables)))
        except NotReplayed:
            return None


class _Question(Goal):
    """One question: rows on which everything can be computed, and the protocol is as wanted."""

    def short_of(self, rows: Rowset) -> float:
        """How far the rows are from it."""
        far = super().short_of(rows)
        return far if far > 0 or self.wanted.whole() else 0.5


__all__ = ["Reaching", "Unfit"]
