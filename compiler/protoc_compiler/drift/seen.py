"""Which data had been read before a protocol was changed: what the registry of the workspace knows."""

from __future__ import annotations

import os

from protoc_compiler.catalogue import drift as kinds
from protoc_compiler.drift.failing import failing
from protoc_compiler.drift.model import Report
from protoc_runtime.diagnostics import Findings
from protoc_runtime.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from protoc_compiler import core
    from protoc_compiler.drift.sources import Pair

LOOSER = ("looser", "incomparable", "undecided")


def told(report: Report, pair: Pair, workspace: str | None, findings: Findings) -> Report:
    """The report with the splits that were read under this protocol; warns (W2706) where it was loosened after that."""
    if pair.new is None:
        return report
    place = pair.new.shown if os.path.exists(pair.new.shown) else os.curdir
    if workspace is None and not any(
        os.path.isfile(os.path.join(folder, "registry.jsonl")) for folder in _above(place)
    ):
        return report
    from protoc_runtime.workspace import find_workspace

    registry = find_workspace(place, workspace).registry
    if not registry.is_file():
        return report
    seen = read_splits(registry, pair.new.protocol.id)
    _warn(report, _new_amendments(pair), seen, findings)
    return replace(report, seen=seen)


def _new_amendments(pair: Pair) -> list[core.Amendment]:
    known = {each.name for each in pair.old.protocol.amendments} if pair.old is not None else set()
    return [each for each in pair.new.protocol.amendments if each.name not in known] if pair.new is not None else []


def _warn(report: Report, fresh: list[core.Amendment], seen: tuple[str, ...], findings: Findings) -> None:
    """What lets more pass after it was seen (W2706), and amendments that do not say all that was seen (W2707)."""
    loose = [change for change in report.changes if change.direction in LOOSER]
    if not loose and failing(report, (), "looser").found:  # what no change tells by itself
        loose = [change for change in report.changes if change.direction != "text"]
    if seen and loose:
        told = fresh and not any(change.undeclared for change in loose)
        these = "it" if len(loose) == 1 else "them"
        declare = "" if told else f"; declare {these} as an amendment that says what had been seen"
        changes = "1 change lets more pass" if len(loose) == 1 else f"{len(loose)} changes let more pass"
        if any(change.direction != "looser" for change in loose):
            changes += ", or may"
        findings.add(kinds.SEEN_UNTOLD, None, changes=changes, splits=", ".join(seen), declare=declare)
    for each in fresh:
        unsaid = [split for split in seen if split not in each.seen]
        if unsaid:
            said = ", ".join(each.seen) or "nothing"
            findings.add(kinds.SEEN_UNSAID, None, amendment=each.name, said=said, splits=", ".join(unsaid))


def _above(place: str) -> list[str]:
    """Every folder that may be the workspace: where there is no registry in any, nothing more need be loaded."""
    found = [os.getcwd(), os.path.realpath(place)]
    while found[-1] != os.path.dirname(found[-1]):
        found.append(os.path.dirname(found[-1]))
    return found


def read_splits(registry: os.PathLike[str], protocol: str) -> tuple[str, ...]:
    """The splits of a protocol that were read, in any of its versions; readings that were taken back do not count."""
    from pathlib import Path

    from protoc_runtime.registry import readings

    found = [reading for reading in readings(Path(registry), protocol) if reading.state in ("open", "closed")]
    return tuple(dict.fromkeys(reading.split for reading in found))
