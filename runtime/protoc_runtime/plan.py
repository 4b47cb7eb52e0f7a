"""A run that was asked for, and one that may begin: what every later step is told."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any

from protoc_runtime.declared import Declared
from protoc_runtime.diagnostics import Diagnostic
from protoc_runtime.phases.allowed import Guard
from protoc_runtime.phases.entries import Entry
from protoc_runtime.record import record
from protoc_runtime.seal import Pins, Seal
from protoc_runtime.signing.checking import Verdict
from protoc_runtime.unchanged import Marks
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
    evidence: tuple[Verdict, ...] = ()  # signatures and time stamps over the seal
    history: tuple[Entry, ...] = ()  # every earlier run of a phase, where the phases make a machine
    guards: Mapping[str, Guard] = MappingProxyType({})  # what the guards of phases were worth when it was entered

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
