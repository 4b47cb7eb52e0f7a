"""Before a phase begins: what has happened, what the machine allows, what is lacking."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from protoc_runtime.catalogue import phases as kinds
from protoc_runtime.declared import Declared
from protoc_runtime.diagnostics import Findings, Refused
from protoc_runtime.phases.allowed import Guard, Lacking, Now, judge, legal_words
from protoc_runtime.phases.entries import Entry
from protoc_runtime.phases.guards import guards
from protoc_runtime.phases.history import history, of_branches
from protoc_runtime.phases.machine import is_machine, later, phase_of, readers
from protoc_runtime.plan import Plan
from protoc_runtime.registry_lines import Branches
from protoc_runtime.run_records import seal_facts, subject_facts
from protoc_runtime.workspace import Workspace


def enter(made: Plan, rules: ModuleType, known: Sequence[Entry]) -> Mapping[str, Guard]:
    """Refuse (E2230 to E2239) a phase that the machine does not let begin, with every reason; the guards if it does."""
    now = now_of(made, rules, known)
    if not made.phase:
        words = legal_words(made.declared, known, now)
        raise Refused([Findings().add(kinds.PHASE_NEEDED, None, protocol=made.declared.id, legal=words)])
    findings = judge(made.declared, known, made.phase, now)
    _judge_splits(made, findings)
    if findings.failed:
        raise Refused(findings.sorted())
    return now.guards


def still_legal(made: Plan) -> Callable[[Branches], None]:
    """A check under the registry's lock: another process may have entered a phase since this one was planned."""

    def check(branches: Branches) -> None:
        """Judge the phase by the registry as it is under the lock. Raises Refused where it may not be run any more."""
        if made.request.resume is not None or not is_machine(made.declared):
            return
        known = of_branches(made.declared, branches, made.request.workspace)
        if known == made.history:
            return
        code = {pin.path: pin.sha256 for pin in made.pins.code}
        now = Now(made.declared.digest, code, made.guards, made.request.workspace.shown(made.folder))
        findings = judge(made.declared, known, made.phase, now)
        if findings.failed:
            raise Refused(findings.sorted())

    return check


def now_of(made: Plan, rules: ModuleType, known: Sequence[Entry]) -> Now:
    """What would be run, and what the guards are worth."""
    code = {pin.path: pin.sha256 for pin in made.pins.code}
    shown = made.request.workspace.shown(made.folder)
    return Now(made.declared.digest, code, _guards(made, rules, known), shown, _lacking(made, known))


def _lacking(made: Plan, known: Sequence[Entry]) -> Mapping[str, Lacking]:
    from protoc_runtime.phases import parity

    return parity.lacking(made, known) if parity.asks(made.declared) else {}


def _guards(made: Plan, rules: ModuleType, known: Sequence[Entry]) -> dict[str, Guard]:
    from protoc_runtime.evaluating import file_digests

    declared = made.declared
    if not any(phase.enter for phase in declared.phases):
        return {}
    return guards(declared, rules, known, records(made), file_digests(declared, made.folder, made.pins))


def records(made: Plan) -> dict[str, Mapping[str, Any]]:
    """The rows of the records, other than phases, that are known before a run begins."""
    found: dict[str, Mapping[str, Any]] = {"subject": subject_facts(made)}
    if made.seals:
        found["seal"] = seal_facts(made, made.seals[-1].time)
    if any(table.source == "manifest" for table in made.declared.tables):
        from protoc_runtime.manifests.facts import facts

        found["manifest"] = facts(made.declared, made.folder, made.request.package)
    return found


def _judge_splits(made: Plan, findings: Findings) -> None:
    """Splits that are made later must be there, and sealed, when they are read."""
    for name in not_made(made, made.phase):
        reached = kinds.NOT_REACHED.id not in {item.id for item in findings}
        when = "make its rows now" if reached else f"make its rows when `{made.declared.split(name).after}` has led on"
        about = {"files": _files(made.declared, name), "when": when}
        findings.add(kinds.NOT_MADE, None, phase=made.phase, split=name, related=(), **about)


def not_made(made: Plan, phase: str) -> tuple[str, ...]:
    """The splits that a phase reads, are made later, and of which the seal holds no row."""
    sealed = {split.name: split.rows for split in made.seals[-1].pins.splits} if made.seals else {}
    reads = phase_of(made.declared, phase).reads
    return tuple(name for name in reads if made.declared.split(name).after and not sealed.get(name))


def judge_early(declared: Declared, folder: Path, known: Sequence[Entry], findings: Findings) -> None:
    """Report (E2238) rows of a split that may not have been made yet, before they are sealed."""
    for split in declared.splits:
        if not split.after or may_be_made(declared, known, split.name):
            continue
        there = [path for path in _paths(declared, folder, split.name) if path.exists()]
        if there:
            names = ", ".join(path.relative_to(folder).as_posix() for path in there)
            needs = _needs(declared, split.name, split.after)
            findings.add(kinds.TOO_EARLY, None, split=split.name, after=split.after, needs=needs, files=names)


def require_in_time(declared: Declared, folder: Path, workspace: Workspace) -> None:
    """Refuse (E2238) to seal rows that may not have been made yet."""
    if not any(split.after for split in declared.splits):
        return
    findings = Findings()
    judge_early(declared, folder, history(declared, workspace), findings)
    if findings.failed:
        raise Refused(findings.sorted())


def may_be_made(declared: Declared, known: Sequence[Entry], split: str) -> bool:
    """Whether a phase has led to one that reads this split, or one that reads it has begun."""
    own = readers(declared, split)
    after = declared.split(split).after
    leading = {after, *later(declared, after)}
    if any(entry.phase in own for entry in known):
        return True
    ways = {
        (phase.name, verdict) for phase in declared.phases for verdict, to in phase.then if set(to) & set(own)
    }  # fmt: skip
    return any(entry.phase in leading and (entry.phase, entry.verdict) in ways for entry in known)


def _needs(declared: Declared, split: str, after: str) -> str:
    own = set(readers(declared, split))
    verdicts = [verdict for verdict, to in phase_of(declared, after).then if set(to) & own]
    return f"it has not ended with {' or '.join(verdicts) or 'a verdict that leads on'} yet"


def _paths(declared: Declared, folder: Path, split: str) -> list[Path]:
    from protoc_runtime.reading.files import SUFFIXES
    from protoc_runtime.reading.layout import SPLITS

    names = [table.file for table in declared.tables if table.source == "file" and SPLITS in table.file]
    return [folder / (name.replace(SPLITS, split) + suffix) for name in names for suffix in SUFFIXES]


def _files(declared: Declared, split: str) -> str:
    from protoc_runtime.reading.layout import SPLITS

    names = [table.file for table in declared.tables if table.source == "file" and SPLITS in table.file]
    return ", ".join(name.replace(SPLITS, split) + ".jsonl" for name in names)
