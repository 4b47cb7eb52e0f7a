"""How the engine stops a run."""

from __future__ import annotations

from typing import Any, NoReturn

from protoc_runtime.diagnostics import Findings, Kind, Refused


class EngineError(Exception):
    """A failure of the engine or of what generated code asks of it, never of the rows."""


def stop(kind: Kind, **values: Any) -> NoReturn:
    """Raise `Refused` with one diagnostic of this kind."""
    findings = Findings()
    findings.add(kind, None, **values)
    raise Refused(findings)
