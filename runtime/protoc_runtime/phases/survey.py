"""Where a study stands: what each phase has seen, what may be entered now, what stands in the way of the others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from protoc_runtime.catalogue import phases as kinds
from protoc_runtime.declared import Declared
from protoc_runtime.diagnostics import Diagnostic, Findings, Refused
from protoc_runtime.phases.allowed import Now, judge
from protoc_runtime.phases.entries import Entry, counting
from protoc_runtime.phases.history import history, record_duty
from protoc_runtime.phases.machine import phase_of, waiting_names
from protoc_runtime.record import record, replace

if TYPE_CHECKING:
    from protoc_runtime.plan import Request


@record
class Standing:
    """The state of a study. `obstacles` are why each phase may not be entered now: nothing for one that may be.
    `unmade` are the splits that a phase needs and that have no sealed rows yet."""

    declared: Declared
    history: tuple[Entry, ...]
    obstacles: tuple[tuple[str, tuple[Diagnostic, ...]], ...]
    findings: tuple[Diagnostic, ...]
    unmade: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @property
    def legal(self) -> tuple[str, ...]:
        """The phases that may be entered now."""
        return tuple(name for name, why in self.obstacles if not why)


def survey(request: Request) -> Standing:
    """The state of a study, from its registry, its bundles, its seal and what lies in its folder."""
    from protoc_runtime.packages import load_rules
    from protoc_runtime.phases.entering import not_made, now_of
    from protoc_runtime.planning import draft

    made = draft(request, strict=False)
    known = history(made.declared, request.workspace)
    now = now_of(made, load_rules(request.package), known)
    unmade = tuple((phase.name, not_made(made, phase.name)) for phase in made.declared.phases)
    return replace(standing(made.declared, known, now), unmade=unmade)


def standing(declared: Declared, known: Sequence[Entry], now: Now) -> Standing:
    """The state that follows from what has happened and what would be run now."""
    obstacles = tuple((phase.name, tuple(judge(declared, known, phase.name, now))) for phase in declared.phases)
    findings = Findings()
    for entry in known:
        if entry.illegal:
            about = {"phase": entry.phase, "why": entry.illegal}
            findings.add(kinds.ILLEGAL_ENTRY, None, run=entry.told(), related=(), **about)
        if entry.differs:
            told = {"phase": entry.phase, "verdict": entry.verdict, "what": entry.differs}
            findings.add(kinds.EVIDENCE_DIFFERS, None, run=entry.run, related=(), **told)
    return Standing(declared, tuple(known), obstacles, tuple(findings.sorted()))


def attest(request: Request, given: Iterable[tuple[str, str]]) -> None:
    """Write down who has done what phases ask of people: (`PHASE.NAME`, person). Raises `Refused` (E2240)."""
    from protoc_runtime.packages import load_protocol

    declared = load_protocol(request.package)
    known = history(declared, request.workspace)
    found, findings = [], Findings()
    for name, person in given:
        phase, _, duty = name.partition(".")
        last = counting(known, phase)
        names = {item.name: waiting_names(item) for item in declared.phases}
        if duty not in names.get(phase, ()):
            asked = [f"{of}.{each}" for of, many in names.items() for each in many]
            told = f"what waits for people: {', '.join(asked)}" if asked else "nothing waits for people here"
            findings.add(kinds.UNKNOWN_DUTY, None, name=name, known=told)
        elif last is None or not last.verdict:
            told = f"a run of `{phase}` must have ended before it can be done"
            findings.add(kinds.UNKNOWN_DUTY, None, name=name, known=told)
        else:
            found.append((last, duty, person))
    if findings.failed:
        raise Refused(findings.sorted())
    for entry, duty, person in found:
        record_duty(request.workspace.registry, declared, entry, duty, person)


def told(state: Standing) -> Iterator[str]:
    """The state for people: one block per phase, then what is legal."""
    declared = state.declared
    yield f"{declared.id} version {declared.version}"
    for phase in declared.phases:
        own = [entry for entry in state.history if entry.phase == phase.name]
        owner = f", owned by {phase.owner}" if phase.owner else ""
        yield f"  {phase.name}: reads {', '.join(phase.reads) or 'nothing'} to {phase.use}{owner}{_ways(phase.then)}"
        for entry in own:
            ended = f"ended with {entry.verdict}" if entry.verdict else "has no verdict"
            yield f"    {entry.at}  {ended}  run {entry.run} (recorded: {entry.evidence})"
        yield from (f"    {line}" for line in _duties(declared, phase.name, own))
    yield f"may be entered now: {', '.join(_open(state)) or 'none'}"
    for name, why in state.obstacles:
        over = [item for item in why if item.kind in (kinds.OVER, kinds.PASSED_BY)]
        yield from (f"  not {name}: {item.id} {item.message}" for item in over[:1] or why)


def _open(state: Standing) -> Iterator[str]:
    for name in state.legal:
        unmade = ", ".join(dict(state.unmade).get(name, ()))
        yield f"{name} (when rows of {unmade} have been made and sealed)" if unmade else name


def _ways(then: Sequence[tuple[str, Sequence[str]]]) -> str:
    if not then:
        return "; an end"
    return "; " + ", ".join(f"{verdict} leads to {' and '.join(to)}" for verdict, to in then)


def _duties(declared: Declared, name: str, own: Sequence[Entry]) -> Iterator[str]:
    phase, last = phase_of(declared, name), counting(own, name)
    if last is None or not last.verdict:
        return
    done = dict(last.done)
    asked = [(duty.name, duty.says) for duty in phase.duties]
    for item, says in (*asked, *((each.name, each.says) for each in phase.records if each.says)):
        by = f"attested by {done[item]}" if item in done else "nobody has attested it"
        yield f"[{'x' if item in done else ' '}] {name}.{item}: {says} ({by})"


def as_json(state: Standing) -> dict[str, Any]:
    """The state for programs."""
    return {
        "schema": "protoc/phases/1",
        "protocol": state.declared.id,
        "version": state.declared.version,
        "legal": list(state.legal),
        "unmade": {name: list(splits) for name, splits in state.unmade if splits},
        "phases": [_phase(state, name, why) for name, why in state.obstacles],
    }


def _phase(state: Standing, name: str, why: Sequence[Diagnostic]) -> dict[str, Any]:
    phase = phase_of(state.declared, name)
    return {
        "phase": name,
        "owner": phase.owner,
        "then": {verdict: list(to) for verdict, to in phase.then},
        "runs": [_run(entry) for entry in state.history if entry.phase == name],
        "obstacles": [{"id": item.id, "name": item.kind.name, "message": item.message} for item in why],
    }


def _run(entry: Entry) -> dict[str, Any]:
    return {
        "run": entry.run,
        "at": entry.at,
        "verdict": entry.verdict or None,
        "grade": "recorded",
        "evidence": entry.differs or entry.evidence,
        "counts": not entry.illegal and not entry.differs,
        "attested": dict(entry.done),
    }
