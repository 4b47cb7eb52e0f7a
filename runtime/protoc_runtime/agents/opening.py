"""The sessions of a run, ready to be asked: prompt, schema and sandbox are there, or nothing is read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from protoc_runtime import bundle
from protoc_runtime.agents.cells import Cells
from protoc_runtime.agents.prompt import Prompt
from protoc_runtime.agents.response import Response
from protoc_runtime.agents.session import Fixed, Sessions, frozen_texts
from protoc_runtime.catalogue import agents as kinds
from protoc_runtime.declared import Declared
from protoc_runtime.diagnostics import Findings, Refused
from protoc_runtime.ledger import Ledger
from protoc_runtime.subjects.command import Place, closed_environment
from protoc_runtime.subjects.walls import Walls

if TYPE_CHECKING:
    from protoc_runtime.providers.gateway import Gateway


def open_sessions(declared: Declared, place: Place, folder: Path, ledger: Ledger, gateway: Gateway | None) -> Sessions:
    """What asks the agent. Raises `Refused` (E2530 to E2532) and `LoadFault`."""
    subject = declared.subject
    session = None if subject is None else subject.session
    if subject is None or session is None:
        raise ValueError("the protocol declares no sessions")
    prompt = Prompt.load(place.spec, session.prompt, subject.sees)
    response = Response.load(place.spec, session.response) if session.response else None
    cells = Cells(
        subject, place, folder / bundle.LOGS,
        environment=closed_environment(subject, declared.providers, os.environ),
        gateway=gateway,
        schema=None if response is None else response.data,
    )  # fmt: skip
    cells.check()
    if session.sandbox == "read-only":
        require_sandbox(cells.walls, closed=session.network == "closed")
    shown = any(table.source == "ledger of subject" and table.column("prompt") for table in declared.tables)
    fixed = Fixed(session, prompt, response, frozen_texts(declared), folder / bundle.RAW, shown)
    return Sessions(cells, subject, fixed, ledger, place.spec)


def require_sandbox(walls: Walls, *, closed: bool) -> None:
    """Refuse (E2530) to run without the sandbox that the protocol promises."""
    lacking = [
        how for there, how in ((walls.files, walls.files_how), (walls.closed or not closed, walls.how)) if not there
    ]
    if lacking:
        raise Refused([Findings().add(kinds.NO_SANDBOX, None, reason=lacking[0])])
