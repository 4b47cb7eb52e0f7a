"""The evidence beside the seal of a run that is about to begin."""

from __future__ import annotations

from pathlib import Path

from protoc_runtime.catalogue.signing import NOT_SIGNED
from protoc_runtime.diagnostics import Findings, Refused
from protoc_runtime.seal_format import Seal, to_bytes
from protoc_runtime.signing.checking import Verdict, examine
from protoc_runtime.signing.sidecar import FILE
from protoc_runtime.signing.trusted import of_workspace
from protoc_runtime.workspace import Workspace


def seal_evidence(folder: Path, seal: Seal, workspace: Workspace) -> tuple[Verdict, ...]:
    """What stands beside a seal, checked against what the workspace trusts.

    Raises `Refused` (E2401, E2402, E2404) for what cannot be read: before anything is spent, and not when the receipt
    is written.
    """
    if not (folder / FILE).is_file():
        return ()
    findings = Findings()
    found = examine(folder, to_bytes(seal), "the seal", of_workspace(workspace), findings, only=False)
    faults = [item for item in findings.sorted() if item.id != NOT_SIGNED.id]
    if faults:
        raise Refused(faults)
    return tuple(found)
