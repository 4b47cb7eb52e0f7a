"""When a review fails: the levels of `--fail-on`, and what stands against a report.

A review fails closed. An incomparable change lets something pass that could not before, besides what it forbids, and an
undecided one may: both fail wherever a looser one does.
"""

from __future__ import annotations

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

    `changes` are those that nobody has accepted. `whole`: what is left open is no change that fails by itself, but the
    verdict as a whole lets something pass, so that the open changes may do it together.
    """

    level: str
    changes: tuple[Change, ...]
    whole: bool
    accepted: int

    @property
    def fails(self) -> bool:
        """Whether the command ends with exit status 1 for it."""
        return bool(self.level) and self.found

    @property
    def found(self) -> bool:
        """Whether anything stands against it."""
        return bool(self.changes) or self.whole


def failing(report: Report, entries: tuple[Entry, ...], level: str | None) -> Failing:
    """Judge a report by a level of `--fail-on`."""
    ways = LEVELS[level or "looser"]
    left = open_changes(report.changes, entries)
    found = tuple(change for change in left if change.direction in ways)
    moving = any(change.direction not in _HARMLESS for change in left)
    whole = not found and moving and report.verdict.direction in RISKY
    accepted = sum(change.direction in ways for change in report.changes) - len(found)
    return Failing(level or "", found, whole, accepted)


def told(found: Failing) -> str:
    """The judgement in one sentence for people; "" where there is nothing to say."""
    accepted = f" ({_counted(found.accepted)} accepted)" if found.accepted else ""
    if found.whole:
        return f"{_fails(found)}: the verdict as a whole lets more pass, or may, and not every change is accepted"
    if found.changes:
        return f"{_fails(found)}: {_counted(len(found.changes))} not accepted: {_listed(found.changes)}"
    return f"Nothing fails --fail-on {found.level}{accepted}" if found.level else ""


def _fails(found: Failing) -> str:
    if found.level:
        return f"Fails --fail-on {found.level}"
    return "This review only tells (exit status 0); --fail-on looser would fail"


def _counted(number: int) -> str:
    return f"{number} change{'s' if number != 1 else ''}"


def _listed(changes: tuple[Change, ...]) -> str:
    shown = [f"{change.id} ({change.direction})" for change in changes[:_NAMED]]
    more = [f"{len(changes) - _NAMED} more"] if len(changes) > _NAMED else []
    return ", ".join((*shown, *more))
