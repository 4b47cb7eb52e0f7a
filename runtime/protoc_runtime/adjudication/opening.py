"""A run opened for its next stage: only one of which everything holds."""

from __future__ import annotations

from pathlib import Path

from protoc_runtime.adjudication.stages import Stage, open_stage
from protoc_runtime.catalogue import bundle as kinds
from protoc_runtime.diagnostics import Refused
from protoc_runtime.verifying import verify


def open_checked(folder: Path, registry: Path | None) -> Stage:
    """A run of which everything holds, opened for its next stage. Raises `Refused` with what does not hold.

    What looks like a credential is no reason to stop here: the next stage is scanned itself, and closed as blocked.
    """
    _, findings = verify(folder, registry, whole=False)
    faults = [item for item in findings if item.severity == "error" and item.kind is not kinds.SECRET_FOUND]
    if faults:
        raise Refused(faults)
    return open_stage(folder)
