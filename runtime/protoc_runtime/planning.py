"""What is to be run, and whether it may: package, seal, phase. Nothing is read of any split here."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from protoc_runtime.auditing import require_audits
from protoc_runtime.bundle import LEDGER, UNFINISHED, unfinished_name
from protoc_runtime.catalogue import run as kinds
from protoc_runtime.catalogue import seal as seal_kinds
from protoc_runtime.declared import Declared
from protoc_runtime.diagnostics import Findings, Refused
from protoc_runtime.history import check_registry, check_seals
from protoc_runtime.ledger_file import read_events
from protoc_runtime.manifests.copies import require_copies
from protoc_runtime.packages import load_protocol, load_rules
from protoc_runtime.phases.entering import enter
from protoc_runtime.phases.history import history
from protoc_runtime.phases.machine import is_machine
from protoc_runtime.pinning import input_files, present_pins
from protoc_runtime.plan import DEVELOPMENT, REHEARSAL, RUN, Plan, Request
from protoc_runtime.record import replace
from protoc_runtime.registry import may_read
from protoc_runtime.seal import Pins, Seal
from protoc_runtime.sealing import candidate, check_seal, spent_splits, wanted_splits
from protoc_runtime.signing.of_seal import seal_evidence
from protoc_runtime.unchanged import marks


def plan(request: Request) -> Plan:
    """The plan of a request. Raises `Refused`: E12xx, E11xx where the seal does not hold, E13xx and E23xx where a split
    may not be read or readings were deleted, E22xx where the phase may not be entered."""
    made = draft(request)
    if made.kind != REHEARSAL:
        _nothing_deleted(made)
        made = replace(made, evidence=seal_evidence(made.folder, made.seals[-1], request.workspace))
    if is_machine(made.declared):
        made = _entered(made)
    if made.kind != REHEARSAL and request.resume is None:
        judged = may_read(request.workspace.registry, wanted(made), made.use, spent(made))
        judged.extend(require_audits(made.declared, made.seals[-1].pins, made.splits))
        if judged.failed:
            raise Refused(judged.sorted())
    return made


def draft(request: Request, *, strict: bool = True) -> Plan:
    """What would be run, before the machine and the registry are asked. Unless `strict`, a broken seal is no reason to
    refuse."""
    declared = load_protocol(request.package)
    require_copies(declared, request.spec.parent)
    if request.digest and request.digest != declared.digest:
        reason = "its protocol.json is not what the spec means now"
        raise Refused([Findings().add(kinds.PACKAGE_DIFFERS, None, path=request.package, reason=reason)])
    phase, use, splits = _phase(declared, request)
    before = marks(path for _, path, _ in input_files(declared, request.spec, Findings()))
    kind = REHEARSAL if request.rehearse else DEVELOPMENT if use == "tune" else RUN
    seals, found = check_seal(declared, request.spec, request.package, digest=request.digest)
    if strict:
        _stop(kind, found)
    pins = _present(declared, request, seals, strict=strict and kind != REHEARSAL)
    return Plan(request, declared, kind, phase, use, splits, seals, pins, tuple(found.sorted()), before)


def _nothing_deleted(made: Plan) -> None:
    """Refuse (E2305, E2306) where readings or seals are known that are no longer there."""
    workspace = made.request.workspace
    found = check_registry(workspace)
    found.extend(check_seals(workspace, made.request.spec, made.declared.id, made.declared.version))
    if found.failed:
        raise Refused(found.sorted())


def _entered(made: Plan) -> Plan:
    """The plan with what has happened in earlier phases; a run that is not one of them yet must be allowed to be."""
    if made.kind == REHEARSAL:
        return made
    request = made.request
    name = request.workspace.shown(unfinished_name(request.resume)).removesuffix(UNFINISHED) if request.resume else ""
    found = tuple(entry for entry in history(made.declared, request.workspace) if entry.run != name)
    if request.resume is not None:
        return replace(made, history=found)
    return replace(made, history=found, guards=enter(made, load_rules(request.package), found))


def wanted(made: Plan) -> list[Any]:
    """What the registry is asked for: nothing for a rehearsal."""
    if made.kind == REHEARSAL:
        return []
    about = {"seal": made.seals[-1].digest, "candidate": candidate(made.declared, made.pins)}
    asked = [replace(split, **about) for split in wanted_splits(made.declared, made.seals[-1].pins, made.splits)]
    if not is_machine(made.declared):
        return asked
    code = tuple((pin.path, pin.sha256) for pin in made.pins.code)
    return [replace(split, phase=made.phase, spec=made.declared.digest, code=code) for split in asked]


def spent(made: Plan) -> list[Any]:
    """The splits that the protocol declares consumed: nothing of them may be read by any run."""
    return spent_splits(made.declared, made.seals[-1].pins) if made.kind != REHEARSAL else []


def same_configuration(made: Plan, before: Mapping[str, Any], path: Path) -> None:
    """Refuse (E1206) to resume a run that was started with something else."""
    now = made.configuration()
    findings = Findings()
    for name in now:
        if before.get(name) != now[name]:
            what, then, present = _difference(name, before.get(name), now[name])
            findings.add(kinds.OTHER_CONFIGURATION, None, path=path, what=what, before=then, now=present)
    if findings:
        raise Refused(findings)


def _phase(declared: Declared, request: Request) -> tuple[str, str, tuple[str, ...]]:
    """The phase that was asked for; where phases make a machine there is no other, and "" waits to be refused."""
    name = request.phase
    if not declared.phases:
        if name is not None:
            raise _unknown(name, "(none)")
        return "", "score", tuple(split.name for split in declared.splits)
    if name is None and request.resume is not None and is_machine(declared):
        name = _begun(request.resume)
    if name is None:
        chosen = declared.phases[-1]
        named = request.rehearse or not is_machine(declared)
        return (chosen.name if named else ""), chosen.use, chosen.reads
    found = [phase for phase in declared.phases if phase.name == name]
    if not found:
        raise _unknown(name, ", ".join(phase.name for phase in declared.phases))
    return found[0].name, found[0].use, found[0].reads


def _begun(resumed: Path) -> str | None:
    """The phase of a run that was interrupted, as its ledger tells it."""
    path = unfinished_name(resumed) / LEDGER
    first = next(read_events(path), None) if path.is_file() else None
    return None if first is None else str(first.body.get("configuration", {}).get("phase", "")) or None


def _unknown(name: str, known: str) -> Refused:
    return Refused([Findings().add(kinds.UNKNOWN_PHASE, None, name=name, known=known)])


def _stop(kind: str, found: Findings) -> None:
    """A run that counts needs its seal as it was; while tuning, the subject's code may differ from the sealed one."""
    if kind == REHEARSAL:
        return
    tolerated = (seal_kinds.CODE_CHANGED.id,) if kind == DEVELOPMENT else ()
    if any(item.severity == "error" and item.id not in tolerated for item in found):
        raise Refused(found.sorted())


def _present(declared: Declared, request: Request, seals: tuple[Seal, ...], *, strict: bool) -> Pins:
    findings = Findings()
    sealed = seals[-1].pins if seals else None
    pins = present_pins(
        declared, request.spec, request.package, findings=findings, digest=request.digest, sealed=sealed
    )
    if strict and findings.failed:
        raise Refused(findings.sorted())
    return pins


def _difference(name: str, before: Any, now: Any) -> tuple[str, str, str]:
    if isinstance(before, dict) and isinstance(now, dict):
        for path in sorted({*before, *now}):
            if before.get(path) != now.get(path):
                return path, _short(before.get(path)), _short(now.get(path))
    return name, _short(before), _short(now)


def _short(value: Any) -> str:
    text = str(value or "none").removeprefix("sha256:")
    return text[:12] if len(text) >= 40 else text
