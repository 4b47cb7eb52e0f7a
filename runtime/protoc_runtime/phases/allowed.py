"""Whether a phase may be entered now, and if not, what stands in the way: every reason at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from protoc_runtime.catalogue import phases as kinds
from protoc_runtime.declared import Declared, Phase
from protoc_runtime.diagnostics import Findings
from protoc_runtime.phases.entries import Entry, last_of
from protoc_runtime.phases.machine import is_start, later, may_change, phase_of, ways_to
from protoc_runtime.record import record


@record
class Guard:
    """What the guard of a phase is worth now: true, false or undefined; its formula, and the values that it reads."""

    value: bool | None
    text: str = ""
    values: str = ""


@record
class Lacking:
    """A report of parity that does not let a phase begin: the phase before, its file, why not, and how to make one."""

    before: str
    file: str
    why: str
    how: str


@record
class Now:
    """What would be run now: the digest of the protocol and the pinned files; by phase the guards, and the reports of
    parity that are lacking."""

    spec: str
    code: Mapping[str, str]
    guards: Mapping[str, Guard]
    shown: str = "SPEC"  # the protocol as a person at the prompt writes it
    parity: Mapping[str, Lacking] = MappingProxyType({})


def judge(declared: Declared, history: Sequence[Entry], name: str, now: Now, *, known: bool = False) -> Findings:
    """Everything that keeps this phase from being entered; nothing if it may be. `known`: for a run of before, whose
    refusal needs no hint."""
    findings = Findings()
    hint = "" if known else legal_words(declared, history, now)
    phase = phase_of(declared, name)
    _judge_end(declared, history, phase, findings, hint)
    if not is_start(declared, name):
        _judge_way(declared, history, phase, now, findings, hint)
    guard = now.guards.get(name)
    if guard is not None and guard.value is not True:
        value = "false" if guard.value is False else "undefined"
        about = {"value": value, "text": guard.text, "values": guard.values, "spec": now.shown}
        about["manifest"] = _place_of_manifest(declared, now) if "manifest." in guard.text else ""
        findings.add(kinds.GUARD_FALSE, None, phase=name, related=(), **about)
    lacking = now.parity.get(name)
    if lacking is not None:
        about = {"before": lacking.before, "file": lacking.file, "why": lacking.why, "how": lacking.how}
        about["legal"] = f"; {hint}" if legal(declared, history, now) else ""
        findings.add(kinds.NO_PARITY, None, phase=name, related=(), **about)
    return findings


def _place_of_manifest(declared: Declared, now: Now) -> str:
    if declared.manifest is None:
        return ""
    place = f"{now.shown}/{declared.manifest.file}"
    return f"; the manifest is {place}, and `protoc freeze check --phase P {place}` tells its faults"


def legal(declared: Declared, history: Sequence[Entry], now: Now) -> tuple[str, ...]:
    """The phases that may be entered now."""
    return tuple(phase.name for phase in declared.phases if not _obstructed(declared, history, phase, now))


def led_by(declared: Declared, history: Sequence[Entry], name: str) -> Entry | None:
    """The run whose verdict leads to a phase; the latest one where several do."""
    ways = dict.fromkeys(ways_to(declared, name))
    legal_ones = [entry for entry in history if not entry.illegal]
    lasts = [last_of(legal_ones, before) for before in dict.fromkeys(before for before, _ in ways)]
    found = [last for last in lasts if last is not None and (last.phase, last.verdict) in ways]
    return max(found, key=lambda entry: (entry.at, entry.run), default=None)


def legal_words(declared: Declared, history: Sequence[Entry], now: Now) -> str:
    """What may be entered, as the hint of a refusal."""
    names = legal(declared, history, now)
    if not names:
        return "no phase may be entered now; a new candidate needs a new version of the protocol, with unseen data"
    return f"what may be entered now: {', '.join(f'`{name}`' for name in names)}"


def _obstructed(declared: Declared, history: Sequence[Entry], phase: Phase, now: Now) -> bool:
    findings = Findings()
    _judge_end(declared, history, phase, findings, "")
    if not is_start(declared, phase.name):
        _judge_way(declared, history, phase, now, findings, "")
    guard = now.guards.get(phase.name)
    return findings.failed or (guard is not None and guard.value is not True) or phase.name in now.parity


def _judge_end(declared: Declared, history: Sequence[Entry], phase: Phase, findings: Findings, hint: str) -> None:
    """Whether the phase is over, or the study is past it."""
    own = [entry for entry in history if entry.phase == phase.name]
    ending = next((entry for entry in own if phase.once or entry.verdict in phase.ends), None)
    if ending is not None:
        findings.add(kinds.OVER, None, phase=phase.name, why=_ended(ending, phase), legal=hint)
    after = later(declared, phase.name)
    passed = next((entry for entry in history if entry.phase in after), None)
    if passed is not None:
        about = {"later": passed.phase, "run": passed.told(), "legal": hint}
        findings.add(kinds.PASSED_BY, None, phase=phase.name, related=(), **about)


def _ended(entry: Entry, phase: Phase) -> str:
    if not entry.verdict:
        return (
            f"it may be run once, and {entry.told()} has begun it without an end (if that run was interrupted, "
            f"`protoc run SPEC --resume {entry.run}` goes on with it)"
        )
    once = "it may be run once, and " if phase.once else ""
    return f"{once}{entry.told()} has ended it with {entry.verdict}"


def _judge_way(
    declared: Declared, history: Sequence[Entry], phase: Phase, now: Now, findings: Findings, hint: str
) -> None:
    """Whether an earlier phase leads here, for the candidate and protocol of now."""
    led = led_by(declared, history, phase.name)
    if led is None:
        needs = _needs(declared, history, phase.name)
        findings.add(kinds.NOT_REACHED, None, phase=phase.name, needs=needs, legal=hint)
        return
    if led.differs:
        about = {"phase": led.phase, "verdict": led.verdict, "what": led.differs}
        findings.add(kinds.EVIDENCE_DIFFERS, None, run=led.run, related=(), **about)
    if led.spec != now.spec:
        about = {"before": led.phase, "then": _short(led.spec), "now": _short(now.spec)}
        findings.add(kinds.OTHER_PROTOCOL, None, run=led.told(), related=(), **about)
    changed = changes(led, now.code, phase)
    if changed:
        may = f"; only {', '.join(phase.may_change)} may change here" if phase.may_change else ""
        over = phase_of(declared, led.phase)
        again = f", or judge the new candidate in `{led.phase}` first"
        if over.once or led.verdict in over.ends:
            again = f"; `{led.phase}` is over, so a new candidate needs a new version of the protocol"
        about = {"before": led.phase, "changed": ", ".join(changed), "again": again, "may": may}
        findings.add(kinds.OTHER_CANDIDATE, None, phase=phase.name, run=led.told(), related=(), **about)


def changes(led: Entry, code: Mapping[str, str], phase: Phase) -> tuple[str, ...]:
    """The pinned files that differ from those of a run and may not, each with what became of it."""
    before = dict(led.code)
    told = {True: "is new", False: "has changed"}
    made = []
    for path in sorted({*before, *code}):
        if before.get(path) != code.get(path) and not may_change(phase, path):
            made.append(f"{path} {told[path not in before] if path in code else 'is gone'}")
    return tuple(made)


def _needs(declared: Declared, history: Sequence[Entry], name: str) -> str:
    """What would have to be, and what there is instead."""
    ways: dict[str, list[str]] = {}
    for before, verdict in ways_to(declared, name):
        ways.setdefault(before, []).append(verdict)
    return " or ".join(_need(before, verdicts, last_of(history, before)) for before, verdicts in ways.items())


def _need(before: str, verdicts: Sequence[str], last: Entry | None) -> str:
    wanted = f"it needs the verdict {' or '.join(verdicts)} of `{before}`"
    if last is None:
        return f"{wanted}, which has not been run"
    ended = f"ended with {last.verdict}" if last.verdict else "has no verdict"
    ended += ", but the machine did not allow it" if last.illegal else ""
    return f"{wanted}, and its last {last.told()} {ended}"


def _short(digest: str) -> str:
    return digest.removeprefix("sha256:")[:12] or "none"
