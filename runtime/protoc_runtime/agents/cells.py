"""Where a session runs: an empty folder of its own, behind walls, with a bound on what it can put onto a disk."""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from protoc_runtime.agents.records import Session
from protoc_runtime.clearing import remove, size
from protoc_runtime.declared import Subject
from protoc_runtime.record import record, replace
from protoc_runtime.subjects.command import Commands, Place
from protoc_runtime.subjects.program import Ended, Program, Running, no_listener
from protoc_runtime.subjects.walls import Walls, find_walls, view_for

if TYPE_CHECKING:
    from protoc_runtime.providers.gateway import Gateway

LARGEST_DISK = 64 * 1024 * 1024  # bytes
WATCHED_EVERY = 0.1  # seconds
LONGEST_READING = 30.0  # seconds for a command that tells of a tool's configuration
SCHEMA_VARIABLE, SCHEMA = "PROTOC_RESPONSE_SCHEMA", "response.schema.json"
FILLED = f"it wrote too much: more than {LARGEST_DISK} bytes into its folder, its memory or a file"
SCRATCH = "/tmp"  # noqa: S108 - in a file system of its own, in memory, which ends with the session
OPEN_NETWORK = "the protocol leaves the network open"


@record
class Cell:
    """The folder of one session, and the program that runs in it."""

    folder: Path
    program: Program


@record
class Left:
    """How a session ended; `filled`: it wrote too much, and was ended if it had not ended by itself."""

    ended: Ended
    filled: bool


class Cells(Commands):
    """Commands that run as sessions. With a sandbox nothing of the file system can be written; what a program keeps
    for itself is in memory."""

    def __init__(
        self,
        subject: Subject,
        place: Place,
        logs: Path,
        *,
        environment: Mapping[str, str],
        gateway: Gateway | None,
        schema: bytes | None,
    ) -> None:
        assert subject.session is not None
        walls = walls_for(subject.session, with_gateway=gateway is not None)
        super().__init__(
            absolute(subject, place.spec), place, logs, environment=environment, gateway=gateway, walls=walls
        )
        self._read_only = bool(subject.session.sandbox) and walls.files
        self._schema = schema

    @contextmanager
    def open(self, addresses: Mapping[str, Any]) -> Iterator[Cell]:
        """A new folder with nothing in the place where the program starts; it is gone afterwards."""
        own = Path(tempfile.mkdtemp(prefix="protoc-"))
        try:
            yield Cell(own, self._program(own, addresses))
        finally:
            remove(own)

    def run(self, slot: int, case: str, prompt: bytes, cell: Cell) -> Left:
        """The session, from its start to the end of everything that it started."""
        if self._read_only:
            ended = self._run(slot, case, prompt, cell.program)
            return Left(ended, ended.filled)
        with _watched(cell.folder, self.interrupt_one(slot)) as filled:
            ended = self._run(slot, case, prompt, cell.program)
        return Left(ended, ended.filled or filled.is_set())

    def printed(self, cell: Cell, argv: tuple[str, ...]) -> bytes | None:
        """What another command of the tool prints in the same place; None where it fails."""
        program = replace(cell.program, argv=tuple(_absolute(argv, self._spec)))
        with open(os.devnull, "wb") as log:
            ended = Running(program, log, no_listener).run(b"", LONGEST_READING)
        return ended.output if ended.status == 0 and not ended.timed_out else None

    def _program(self, own: Path, addresses: Mapping[str, Any]) -> Program:
        program = replace(super()._program(own, addresses), most=LARGEST_DISK)
        given = dict(program.environment)
        if self._schema is not None:
            (own / SCHEMA).write_bytes(self._schema)
            given[SCHEMA_VARIABLE] = str(own / SCHEMA)
        if not self._read_only:
            return replace(program, environment=given)
        given |= {"HOME": SCRATCH, "TMPDIR": SCRATCH}
        view = view_for(program.argv, given, reads=[own, *self._shown], hides=self._hidden)
        return replace(program, environment=given, view=view)


def walls_for(session: Session, *, with_gateway: bool) -> Walls:
    """What this machine allows of what the session wants."""
    found = find_walls()
    if session.network == "closed" or with_gateway:
        return found
    return replace(found, closed=False, how=OPEN_NETWORK)


def absolute(subject: Subject, spec: Path) -> Subject:
    """The subject with its command's words that name files beside the spec as absolute paths: a session starts in an
    empty folder."""
    return replace(subject, argv=tuple(_absolute(subject.argv, spec)))


def _absolute(argv: tuple[str, ...], spec: Path) -> Iterator[str]:
    for word in argv:
        yield str((spec / word).resolve()) if _is_beside(word, spec) else word


def _is_beside(word: str, spec: Path) -> bool:
    """Whether a word of a command names a file beside the spec."""
    return not os.path.isabs(word) and ".." not in word.split("/") and (spec / word).is_file()


@contextmanager
def _watched(folder: Path, end: Any) -> Iterator[threading.Event]:
    """Call `end` when the folder grows too large, in the time of the block."""
    done, filled = threading.Event(), threading.Event()

    def watch() -> None:
        """Look at the size of the folder until the session is done; end the session when it is too large."""
        while not filled.is_set() and not done.wait(WATCHED_EVERY):
            look()
        if filled.is_set():
            end()

    def look() -> None:
        """Mark the folder as filled if it is larger than a session may make it."""
        if size(folder, LARGEST_DISK) > LARGEST_DISK:
            filled.set()

    thread = threading.Thread(target=watch, name="disk", daemon=True)
    thread.start()
    try:
        yield filled
    finally:
        done.set()
        thread.join()
        look()
