"""What is to be run, and whether it may: package, seal, phase. Nothing is read of any split here."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from protoc_runtime.catalogue import run as kinds
from protoc_runtime.catalogue import seal as seal_kinds
from protoc_runtime.declared import Declared
from protoc_runtime.diagnostics import Diagnostic, Findings, Refused
from protoc_runtime.packages import load_protocol
from protoc_runtime.pinning import input_files, present_pins
from protoc_runtime.record import record
from protoc_runtime.registry import may_read
from protoc_runtime.seal import Pins, Seal
from protoc_runtime.sealing import check_seal, wanted_splits
from protoc_runtime.unchanged import Marks, marks
from protoc_runtime.workspace import Workspace

RUN, DEVELOPMENT, REHEARSAL = "run", "development", "rehearsal"


@record
class Request:
    """What the user asked for. `digest` is the spec digest that the compiler computed from the text, or empty where
    there is no compiler; `screen` is where progress is shown, if it is a terminal."""

    spec: Path
    package: Path
    workspace: Workspace
    phase: str | None = None
    rehearse: bool = False
    out: Path | None = None
    resume: Path | None = None
    digest: str = ""
    screen: IO[str] | None = None
    attest: tuple[tuple[str, str], ...] = ()  # name of an attestation, and the person who confirms it


@record
class Plan:
    """A run that may begin. `phase` is empty where the protocol has none; `splits` are those that it reads, empty
    where the protocol has none; `differences` are those from the seal; `marks` are those of the inputs before their
    digests were taken."""

    request: Request
    declared: Declared
    kind: str
    phase: str
    use: str
    splits: tuple[str, ...]
    seals: tuple[Seal, ...]
    pins: Pins
    differences: tuple[Diagnostic, ...]
    marks: Marks

    @property
    def folder(self) -> Path:
        """The folder of the protocol."""
        return self.request.spec.parent

    @property
    def parent(self) -> Path:
        """Where the bundles of this protocol are: `runs/<package>` or `rehearsals/<package>`."""
        root = self.request.workspace.root
        default = root / "rehearsals" if self.kind == REHEARSAL else self.request.workspace.runs
        return (self.request.out or default) / self.declared.package

    @property
    def narrowed(self) -> bool:
        """Whether the phase reads fewer splits than there are."""
        return bool(self.splits) and set(self.splits) != {split.name for split in self.declared.splits}

    def configuration(self) -> dict[str, Any]:
        """What makes an answer of before the same as one of now: resuming needs all of it unchanged."""
        return {
            "spec": self.declared.digest,
            "package": self.pins.package.sha256,
            "inputs": {pin.path: pin.sha256 for pin in self.pins.inputs},
            "code": {pin.path: pin.sha256 for pin in self.pins.code},
            "seal": self.seals[-1].digest if self.seals else "",
            "phase": self.phase,
            "kind": self.kind,
        }


def plan(request: Request) -> Plan:
    """The plan of a request. Raises `Refused`: E12xx, E11xx where the seal does not hold, E13xx where a split may not
    be read."""
    declared = load_protocol(request.package)
    if request.digest and request.digest != declared.digest:
        reason = "its protocol.json is not what the spec means now"
        raise Refused([Findings().add(kinds.PACKAGE_DIFFERS, None, path=request.package, reason=reason)])
    phase, use, splits = _phase(declared, request.phase)
    before = marks(path for _, path, _ in input_files(declared, request.spec, Findings()))
    kind = REHEARSAL if request.rehearse else DEVELOPMENT if use == "tune" else RUN
    seals, found = check_seal(declared, request.spec, request.package, digest=request.digest)
    _stop(kind, found)
    pins = _present(declared, request, seals, strict=kind != REHEARSAL)
    made = Plan(request, declared, kind, phase, use, splits, seals, pins, tuple(found.sorted()), before)
    if kind != REHEARSAL and request.resume is None:
        judged = may_read(request.workspace.registry, wanted(made), use)
        if judged.failed:
            raise Refused(judged.sorted())
    return made


def wanted(made: Plan) -> list[Any]:
    """What the registry is asked for: nothing for a rehearsal."""
    if made.kind == REHEARSAL:
        return []
    return wanted_splits(made.declared, made.seals[-1].pins, made.splits)


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


def _phase(declared: Declared, name: str | None) -> tuple[str, str, tuple[str, ...]]:
    if not declared.phases:
        if name is not None:
            raise _unknown(name, "(none)")
        return "", "score", tuple(split.name for split in declared.splits)
    if name is None:
        chosen = declared.phases[-1]
    else:
        found = [phase for phase in declared.phases if phase.name == name]
        if not found:
            raise _unknown(name, ", ".join(phase.name for phase in declared.phases))
        chosen = found[0]
    return chosen.name, chosen.use, chosen.reads


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
