"""When a review fails: the levels of `--fail-on`, and what stands against a report.

A review fails closed. An incomparable change lets something pass that could not before, besides what it forbids, and an
undecided one may: both fail wherever a looser one does. No level of a report is left out: what a rule alone, the
verdict as a whole or a recorded run shows fails also where what is said of each change by itself would let it pass.
"""

from __future__ import annotations

from collections.abc import Sequence

from protoc_compiler.drift.accepted import Entry, open_changes
from protoc_compiler.drift.model import Change, Direction, Report
from protoc_runtime.record import record

RISKY: tuple[Direction, ...] = ("looser", "incomparable", "undecided")
LEVELS: dict[str, tuple[Direction, ...]] = {
    "looser": RISKY,
    "incomparable": RISKY,
    "any": (*RISKY, "stricter", "equivalent", "text"),
}
_HARMLESS = ("equivalent", "text")
_NAMED = 6


@record
class Failing:
    """What stands against a report at a level, or, where none was asked for (`level` is ""), would at `looser`.

    `changes` are those that nobody has accepted. The rest is what no open change tells by itself: `whole`, the verdict
    as a whole lets something pass; `rules` that do so alone; `runs` that pass now and did not; `refused`, the ids of
    the errors for which `protoc check` refuses the new version, which nobody can accept.
    """

    level: str
    changes: tuple[Change, ...]
    whole: bool
    accepted: int
    rules: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()

    @property
    def fails(self) -> bool:
        """Whether the command ends with exit status 1 for it."""
        return bool(self.level) and self.found

    @property
    def found(self) -> bool:
        """Whether anything stands against it."""
        return bool(self.changes or self.whole or self.rules or self.runs or self.refused)


def failing(report: Report, entries: tuple[Entry, ...], level: str | None) -> Failing:
    """Judge a report by a level of `--fail-on`: each change, each rule alone, the verdict as a whole, each run."""
    ways = LEVELS[level or "looser"]
    left = open_changes(report.changes, entries)
    found = tuple(change for change in left if change.direction in ways)
    accepted = sum(change.direction in ways for change in report.changes) - len(found)
    settled = _Settled(report, left)
    runs = () if settled() else tuple(str(run["run"]) for run in report.replayed if run["gained"])
    refused = tuple(sorted({item.id for item in report.refused}))
    new = any(change.id == "PROTOCOL_ADDED" for change in report.changes)  # nothing held back what it lets pass
    if found or new:
        return Failing(level or "", found, False, accepted, (), runs, refused)
    whole = report.verdict.direction in RISKY and not settled()
    risky = [effect for effect in report.effects if effect.direction in RISKY]
    rules = tuple(effect.rule for effect in risky if not settled(effect.makers))
    return Failing(level or "", (), whole, accepted, rules, runs, refused)


class _Settled:
    """Whether what is found at one level is accounted for: the changes that make it are accepted, or declared where
    what is declared is left out.

    Those make it that move something; where none does, by what is said of each, any that means something may; and
    where there are no such ones, any at all. What nothing makes is never accounted for.
    """

    def __init__(self, report: Report, left: tuple[Change, ...]) -> None:
        self._all = (*report.changes, *report.declared)
        self._open = {change.fingerprint for change in left}

    def __call__(self, makers: frozenset[str] = frozenset()) -> bool:
        """`makers` are the fingerprints of the changes that something reads; none where that may be any."""
        made = [change for change in self._all if change.fingerprint in makers] or list(self._all)
        moving = [change for change in made if change.direction not in _HARMLESS]
        meant = [change for change in made if change.direction != "text"]
        counted = moving or meant or made
        return bool(counted) and self._open.isdisjoint(change.fingerprint for change in counted)


def told(found: Failing) -> str:
    """The judgement in one sentence for people; "" where there is nothing to say."""
    accepted = f" ({_counted(found.accepted)} accepted)" if found.accepted else ""
    if not found.found:
        return f"Nothing fails --fail-on {found.level}{accepted}" if found.level else ""
    said = []
    if found.refused:
        said.append(f"`protoc check` refuses the new version ({_some(found.refused)})")
    if found.changes:
        said.append(f"{_counted(len(found.changes))} not accepted: {_listed(found.changes)}")
    if found.whole:
        said.append("the verdict as a whole lets more pass, or may, and not every change is accepted")
    elif found.rules:
        names = _some(found.rules)
        said.append(f"{names} alone lets more pass, or may, and not every change that it reads is accepted")
    if found.runs:
        said.append(f"recorded and released now, not before, and not every change is accepted: {_some(found.runs)}")
    return f"{_fails(found)}: {'; '.join(said)}"


def _fails(found: Failing) -> str:
    if found.level:
        return f"Fails --fail-on {found.level}"
    return "This review only tells (exit status 0); --fail-on looser would fail"


def _counted(number: int) -> str:
    return f"{number} change{'s' if number != 1 else ''}"


def _listed(changes: tuple[Change, ...]) -> str:
    return _some([f"{change.id} ({change.direction})" for change in changes])


def _some(names: Sequence[str]) -> str:
    more = [f"{len(names) - _NAMED} more"] if len(names) > _NAMED else []
    return ", ".join((*names[:_NAMED], *more))
