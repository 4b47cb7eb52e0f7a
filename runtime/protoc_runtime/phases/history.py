"""What has happened: every run of a phase, read off the registry and, where they are here, the bundles.

There is no file with a state in it. A run counts when the registry holds its readings; its verdict is the one that the
registry has, as the last stage of the run gave it; a bundle that is not the one that the registry knows is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from protoc_runtime import bundle
from protoc_runtime.canonical import digest_file, read_plain
from protoc_runtime.declared import Declared
from protoc_runtime.phases.allowed import Now, judge
from protoc_runtime.phases.entries import IN_BOTH, IN_REGISTRY, OPEN, Entry, counting, entries
from protoc_runtime.phases.machine import waiting_names
from protoc_runtime.readings import all_readings
from protoc_runtime.record import replace
from protoc_runtime.registry_file import change, load
from protoc_runtime.registry_lines import Branches
from protoc_runtime.strict_json import parsed
from protoc_runtime.verdict_words import spoken, word_of
from protoc_runtime.workspace import Workspace

DUTY = "duty"


def history(declared: Declared, workspace: Workspace) -> tuple[Entry, ...]:
    """Every run of a phase of this protocol and version, oldest first. Raises `Refused` (E1303, E1310)."""
    return of_branches(declared, load(workspace.registry), workspace)


def of_branches(declared: Declared, branches: Branches, workspace: Workspace) -> tuple[Entry, ...]:
    """The same of what a registry holds."""
    found = entries(declared, all_readings(branches), _decided(branches), _duties(branches, declared))
    return audited(declared, [_with_bundle(entry, workspace) for entry in found])


def audited(declared: Declared, found: Sequence[Entry]) -> tuple[Entry, ...]:
    """The runs, each with the reason why the machine did not allow it when it began, if there is one.

    Runs of merged clones may each have been legal where they were made. Guards are not judged again: what they read
    has gone on since.
    """
    made: list[Entry] = []
    for entry in found:
        before = [_as_of(other, entry.at) for other in made]
        wrong = judge(declared, before, entry.phase, Now(entry.spec, dict(entry.code), {}), known=True)
        made.append(replace(entry, illegal="; ".join(item.message for item in wrong)))
    return tuple(made)


def _as_of(entry: Entry, at: str) -> Entry:
    """A run as it was known at a time: without its verdict, if it ended later."""
    return entry if entry.ended and entry.ended <= at else replace(entry, verdict="", ended="", differs="")


def facts(declared: Declared, history: Sequence[Entry]) -> dict[str, dict[str, Any]]:
    """The columns of the record `from: phase X`, by phase."""
    made = {}
    for phase in declared.phases:
        last = counting(history, phase.name)
        done = {name for name, _ in last.done} if last else set()
        made[phase.name] = {
            "verdict": (last.verdict or None) if last else None,
            "run": last.run if last else None,
            "at": (last.ended or None) if last else None,
            "runs": sum(entry.phase == phase.name for entry in history),
            "open_duties": len(set(waiting_names(phase)) - done) if last else len(waiting_names(phase)),
        }
    return made


def record_duty(registry: Path, declared: Declared, entry: Entry, duty: str, person: str) -> None:
    """Write down who has done what a phase asks of people; the same twice is written once."""
    about = {"protocol": declared.id, "version": declared.version, "phase": entry.phase, "run": entry.run}
    if (duty, person) not in entry.done:
        change(registry, lambda draft: draft.add(DUTY, {**about, "duty": duty, "person": person}))


def _decided(branches: Branches) -> dict[str, tuple[str, str]]:
    ordered = sorted(branches.lines.values(), key=lambda line: (str(line.body.get("at", "")), line.seq, line.hash))
    bodies = [line.body for line in ordered if line.kind == "decided"]
    return {str(body["run"]): (str(body["verdict"]), str(body["receipt"])) for body in bodies}


def _duties(branches: Branches, declared: Declared) -> dict[tuple[str, str], tuple[tuple[str, str], ...]]:
    made: dict[tuple[str, str], tuple[tuple[str, str], ...]] = {}
    for line in branches.lines.values():
        body = line.body
        if line.kind == DUTY and (body["protocol"], body["version"]) == (declared.id, declared.version):
            key = (str(body["phase"]), str(body["run"]))
            made[key] = (*made.get(key, ()), (str(body["duty"]), str(body["person"])))
    return made


def _with_bundle(entry: Entry, workspace: Workspace) -> Entry:
    """What the bundle of a run says of itself, where it is in this workspace."""
    folder, evidence = workspace.root / entry.run, IN_REGISTRY if entry.verdict else OPEN
    for path, what, due, last in (
        (folder / bundle.RECEIPT, "its receipt", entry.receipt, not entry.decided),
        (folder / bundle.STAGES[-1] / bundle.RECEIPT, "the receipt of its final verdict", entry.decided, True),
    ):
        if not due or not path.is_file():
            continue
        found = digest_file(path)
        if found != due.removeprefix("sha256:"):
            return replace(entry, differs=f"{what} has the digest {found[:12]}, and the registry {due[:12]}")
        verdict = _verdict_of(path)
        if last and verdict != entry.verdict:
            there = f"{what} has the verdict {spoken(verdict)}"
            return replace(entry, differs=f"{there}, and the registry {spoken(entry.verdict)}")
        evidence = IN_BOTH if last else evidence
    return replace(entry, evidence=evidence)


def _verdict_of(receipt: Path) -> str:
    try:
        return word_of(parsed(read_plain(receipt))["predicate"]["verdict"])
    except (OSError, ValueError, KeyError, TypeError):
        return "nothing that can be read"
