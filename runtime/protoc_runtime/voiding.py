"""Taking back the readings of a run that the infrastructure ended before anything was scored."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from protoc_runtime import bundle
from protoc_runtime.canonical import digest_file
from protoc_runtime.catalogue import registry as kinds
from protoc_runtime.diagnostics import Findings, Refused
from protoc_runtime.ledger_file import read_events
from protoc_runtime.registry import Reading, readings, void_reading
from protoc_runtime.workspace import Workspace


def void_run(workspace: Workspace, folder: Path, reason: str, evidence: Sequence[Path]) -> tuple[Reading, ...]:
    """Make every open reading of an unfinished run void; the readings as they are then.

    The run's ledger tells whether a case was scored, and is evidence itself; `evidence` are further files. Only their
    names and digests are kept. Raises `Refused`: E1311 where the run has no open reading, E1306, E1310.
    """
    folder = bundle.unfinished_name(folder)
    name = workspace.shown(folder).removesuffix(bundle.UNFINISHED)
    found = [reading for reading in readings(workspace.registry) if reading.run == name and reading.state == "open"]
    if not found:
        raise Refused([Findings().add(kinds.UNKNOWN, None, path=workspace.registry, reading=f"of run {name}")])
    ledger = folder / bundle.LEDGER
    try:
        digests = {workspace.shown(path): digest_file(path) for path in evidence}
        if digests:
            digests[workspace.shown(ledger)] = digest_file(ledger)
    except OSError as error:
        why = f"its evidence {error.filename} cannot be read: {error.strerror}"
        raise Refused([Findings().add(kinds.VOID_REFUSED, None, reading=found[0].id[:12], reason=why)]) from None
    scored = sum(event.kind == "case_finished" and event.body["outcome"] == "scored" for event in read_events(ledger))
    for reading in found:
        void_reading(workspace.registry, reading.id, reason=reason, evidence=digests, scored=scored)
    ids = {reading.id for reading in found}
    return tuple(reading for reading in readings(workspace.registry) if reading.id in ids)
