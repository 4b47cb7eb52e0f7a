"""What stands around the subject of a run: the target's worktree, the gateway to the providers, the walls.

All of it is there before a split is read, in the order in which each may stop the launch: first the target, then the
providers' credentials, then the subject itself.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from protoc_runtime import bundle
from protoc_runtime.catalogue import providers as provider_kinds
from protoc_runtime.chain import Line
from protoc_runtime.declared import Declared
from protoc_runtime.diagnostics import Diagnostic, Findings, Refused
from protoc_runtime.gathering import Tables, with_rows
from protoc_runtime.ledger import Ledger
from protoc_runtime.observing import observed_tables
from protoc_runtime.plan import Plan
from protoc_runtime.record import record
from protoc_runtime.subjects.calling import Called, not_loaded
from protoc_runtime.subjects.pool import LoadFault
from protoc_runtime.subjects.walls import Walls
from protoc_runtime.target import WORKTREE, Checkout

if TYPE_CHECKING:
    from protoc_runtime.providers.gateway import Gateway

OPENED = "subject_opened"
LAUNCH = "launch.log"


@record
class Surroundings:
    """What there is for this protocol; None for what it does not declare."""

    checkout: Checkout | None
    gateway: Gateway | None
    ledger: Ledger


@contextmanager
def surroundings(made: Plan, folder: Path, ledger: Ledger) -> Iterator[Surroundings]:
    """The worktree of the target and the gateway, for as long as the block lasts. Raises `Refused` (E16xx, E17xx)."""
    with ExitStack() as stack:
        checkout = None
        if made.declared.target is not None:
            place = bundle.final_name(folder)
            place = place.with_name(place.name + WORKTREE)
            checkout = Checkout.open(made.declared.target, made.folder, os.environ, place=place, ledger=ledger)
            stack.callback(checkout.close)
        gateway = None
        if made.declared.providers:
            from protoc_runtime.providers.gateway import serve

            kept = folder / bundle.LOGS / "bodies"
            gateway = stack.enter_context(serve(made.declared, ledger, os.environ, folder=made.folder, kept=kept))
        yield Surroundings(checkout, gateway, ledger)


def open_subject(made: Plan, folder: Path, around: Surroundings) -> Called | None:
    """The subject, ready to be asked; None where its answers exist already. Raises `Refused` (E1201)."""
    subject, logs = made.declared.subject, folder / bundle.LOGS
    if subject is None or subject.kind == "recorded":
        return None
    if subject.kind == "python":
        return Called.open(subject, made.folder, logs, around.gateway)
    try:
        if subject.kind == "http":
            from protoc_runtime.subjects.http import Services

            service = Services(subject)
            service.check()
            return Called(service, around.gateway)
        from protoc_runtime.subjects.command import Commands, Place, closed_environment
        from protoc_runtime.subjects.staying import StayingCommands

        place = Place(made.folder, None if around.checkout is None else around.checkout.folder, hidden(made))
        if subject.session is not None:
            from protoc_runtime.agents.opening import open_sessions

            return Called(open_sessions(made.declared, place, folder, around.ledger, around.gateway), around.gateway)
        environment = closed_environment(subject, made.declared.providers, os.environ)
        kind = StayingCommands if subject.pool else Commands
        commands = kind(subject, place, logs, environment=environment, gateway=around.gateway)
        commands.check()
        return Called(commands, around.gateway)
    except LoadFault as fault:
        raise not_loaded(subject, fault) from None


def hidden(made: Plan) -> tuple[Path, ...]:
    """What no subject may see even where its own folder holds it: the protocol with its rows, earlier runs, the
    registry, and what git knows."""
    workspace = made.request.workspace
    inputs = [made.folder / pin.path for pin in made.pins.inputs]
    git = [folder / ".git" for folder in (workspace.root, made.folder)]
    return (workspace.root, made.folder, workspace.runs, made.parent, workspace.registry, *git, *inputs)


def walls_of(events: Iterable[Line]) -> Walls | None:
    """What the subject could reach beside the gateway, at the worst of all launches of a run; None if none asked it."""
    bodies = [event.body for event in events if event.kind == OPENED]
    found = [_walls(body) for body in bodies]
    if not found:
        return None
    network = next((walls for walls in found if not walls.closed), found[-1])
    files = next((walls for walls in found if not walls.files), found[-1])
    return Walls(network.closed, network.how, files.files, files.files_how)


def _walls(body: Mapping[str, Any]) -> Walls:
    """As the ledger has them; an older one knows nothing of files."""
    return Walls(*(body[name] for name in ("closed", "how", "files", "files_how") if name in body))


def no_rows(declared: Declared) -> Tables:
    """The tables of a run that reads nothing: those that the spec lists, and all others without a row, but for those
    that people fill later."""
    from protoc_runtime.reading.tables import finished, listed_tables
    from protoc_runtime.written import plain

    whole = plain(declared)
    others = {table.name for table in observed_tables(declared)}
    others |= {table.name for table in declared.tables if table.source == "adjudication"}
    empty = [table.name for table in whole.tables if table.kind == "input" and table.name not in others]
    return with_rows(whole, finished(listed_tables(whole)), {name: [] for name in empty})


def require_forced(declared: Declared, summary: Mapping[str, Any], reason: str) -> None:
    """Refuse (E1601) a run that was stopped although no blocker of the protocol speaks of it: nothing else may decide
    a run that has read nothing."""
    fired = {name for name, value in summary.get("blockers", {}).items() if value is True}
    read = {source for item in declared.of("blockers") if item.name in fired for source in item.sources}
    if summary["released"] or not any(source.startswith("provider ") for source in read):
        raise Refused([Findings().add(provider_kinds.UNUSABLE, None, provider="a provider", reason=reason)])


def note(folder: Path, ledger: Ledger, *faults: Diagnostic | str) -> None:
    """Keep why a launch ended in its own `logs/launch.log`, with the time of its last event."""
    last = next((str(event.body["at"]) for event in reversed(list(ledger.events()))), "")
    with suppress(OSError):  # the fault itself may be that nothing can be written
        (folder / bundle.LOGS).mkdir(exist_ok=True)
        with (folder / bundle.LOGS / LAUNCH).open("a", encoding="utf-8", errors="replace") as log:
            for fault in faults:
                words = fault if isinstance(fault, str) else f"{fault.id} {fault.message}"
                log.write(f"{last} {words}\n")
