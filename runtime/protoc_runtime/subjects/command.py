"""A `command` subject: one process per case, JSON on its standard input, JSON on its standard output.

It gets a closed environment: `PATH`, what makes programs repeatable, the variables that the protocol allows, folders of
its own for HOME and TMPDIR, and the addresses of the providers for this case. Never a credential.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from protoc_runtime.clearing import remove
from protoc_runtime.declared import Subject
from protoc_runtime.procedure import Provider
from protoc_runtime.record import record
from protoc_runtime.subjects.plain_json import Unreadable, plain_json
from protoc_runtime.subjects.pool import FIXED, LoadFault, Reply
from protoc_runtime.subjects.program import LARGEST_OUTPUT, Ended, Program, Running, View, no_listener
from protoc_runtime.subjects.walls import Walls, find_walls, view_for, without_providers

if TYPE_CHECKING:
    from protoc_runtime.providers.gateway import Gateway

TARGET, EMPTY, ENV = "target", "empty", "env "


@record
class Place:
    """Where a command may run: beside the spec, and in the worktree of the target, if there is one.

    `hides` are files and folders that no subject may see, whatever they lie in."""

    spec: Path
    target: Path | None = None
    hides: tuple[Path, ...] = ()


class Commands:
    """Starts a program for each case; several threads ask at once."""

    def __init__(
        self,
        subject: Subject,
        place: Place,
        logs: Path,
        *,
        environment: Mapping[str, str],
        gateway: Gateway | None = None,
        walls: Walls | None = None,
    ) -> None:
        self.walls = walls or (without_providers(find_walls()) if gateway is None else find_walls())
        self._argv, self._directory, self._spec = subject.argv, _directory(subject, place), place.spec
        self._shown, self._hidden = tuple(_files(subject, place, environment)), place.hides
        self._kept = subject.directory == TARGET
        self._timeout = None if subject.timeout is None else float(subject.timeout)
        self._environment, self._gateway, self._logs = environment, gateway, logs
        self._guard = threading.Lock()
        self._running: dict[int, Running] = {}  # by slot
        self._ended = False
        logs.mkdir(parents=True, exist_ok=True)

    def check(self) -> None:
        """Raises LoadFault if the program is not there."""
        name = self._argv[0]
        if self._directory is not None and not self._directory.is_dir():
            raise LoadFault(f"there is no folder {self._directory.name}")
        if "/" in name:
            where = None if self._directory is None else self._directory / name
            found = where is not None and where.is_file() and os.access(where, os.X_OK)
            found = found or (os.path.isabs(name) and os.access(name, os.X_OK))
        else:
            found = shutil.which(name, path=self._environment.get("PATH", os.defpath)) is not None
        if not found:
            raise LoadFault(f"there is no program {name}")

    def ask(self, slot: int, case: str, row: bytes, addresses: Mapping[str, Any] | None = None) -> Reply:
        """The reply of the program to a case; what it wrote to its standard error is in the log of the slot."""
        own = Path(tempfile.mkdtemp(prefix="protoc-"))
        try:
            return reply_of(self._run(slot, case, row, self._program(own, addresses or {})), self._timeout)
        finally:
            remove(own)

    def interrupt_one(self, slot: int) -> Callable[[], None]:
        """What ends the program that a slot has under way, from another thread."""

        def end() -> None:
            """Kill what still runs in the slot; nothing where it has ended."""
            with self._guard:
                if slot in self._running:
                    self._running[slot].kill()

        return end

    def interrupt(self) -> None:
        """End every program, from another thread than those that ask."""
        with self._guard:
            self._ended = True
            for running in self._running.values():
                running.kill()

    def close(self) -> None:
        """Nothing is left between cases."""

    def _addresses(self, addresses: Mapping[str, Any]) -> dict[str, str]:
        """The variables with the addresses of the providers for one case."""
        from protoc_runtime.providers.gateway import variable

        return {variable(name): str(address["url"]) for name, address in addresses.items()}

    def _program(self, own: Path, addresses: Mapping[str, Any]) -> Program:
        folders = {"HOME": own / "home", "TMPDIR": own / "tmp", "": own / "work"}
        for folder in folders.values():
            folder.mkdir()
        given = {name: str(folder) for name, folder in folders.items() if name} | dict(self._environment)
        given |= self._addresses(addresses)
        port = self._gateway.port if self._gateway is not None and self.walls.closed else 0
        directory = self._directory or folders[""]
        return Program(self._argv, directory, given, self.walls.closed, port, self._view(own, given))

    def _view(self, own: Path, environment: Mapping[str, str]) -> View | None:
        """What the program sees of the file system, where it can be closed. Only the target may be written beside its
        own folders: it is checked at the end, and there for this run alone."""
        if not self.walls.files:
            return None
        folder = [] if self._directory is None else [self._directory]
        reads, writes = ([], folder) if self._kept else (folder, [])
        return view_for(
            self._argv, environment, reads=[*reads, *self._shown], writes=[own, *writes], hides=self._hidden
        )

    def _run(self, slot: int, case: str, row: bytes, program: Program) -> Ended:
        """One program from its start to its end; what it wrote to its standard error is in the log of the slot."""
        path = self._logs / f"subject-{slot + 1}.log"
        with path.open("ab") as log:
            before = log.tell()
            running = Running(program, log, self._listen)
            with self._guard:
                self._running[slot] = running
                if self._ended:
                    running.kill()
            try:
                ended = running.run(row, self._timeout)
            finally:
                with self._guard:
                    self._running.pop(slot, None)
            self._mark(log, before, case, ended)
        return ended

    def _mark(self, log: IO[bytes], before: int, case: str, ended: Ended) -> None:
        """Say in the log whose words these were, if there are any."""
        if log.tell() > before:
            more = f", and {ended.dropped} more bytes" if ended.dropped else ""
            log.write(f"\n^ printed during case {case}{more}\n".encode("utf-8", "replace"))

    def _listen(self, listener: socket.socket) -> Callable[[], object]:
        return no_listener(listener) if self._gateway is None else self._gateway.listen(listener)


def _files(subject: Subject, place: Place, environment: Mapping[str, str]) -> Iterator[Path]:
    """What a command may read beside its folder: sealed code, files that its arguments name, and what is declared."""
    yield from (place.spec / path for path in subject.code if not any(sign in path for sign in "*?["))
    yield from (Path(word) for word in subject.argv[1:] if os.path.isabs(word) and Path(word).is_file())
    for path in subject.files:
        named = path.removeprefix(ENV)
        given = environment.get(named, os.environ.get(named, "")) if path.startswith(ENV) else path
        if given:
            yield place.spec / given


def closed_environment(
    subject: Subject, providers: Iterable[Provider], environment: Mapping[str, str]
) -> dict[str, str]:
    """What a command gets of the runner's environment: PATH and the allowed variables, but nothing of a provider's.

    A variable under another name that holds a credential is left out too.
    """
    providers = list(providers)
    names = {name for provider in providers for name in (provider.credential_env, provider.base_url_env) if name}
    secrets = {environment.get(provider.credential_env, "").strip() for provider in providers} - {""}
    allowed = [name for name in ("PATH", *subject.environment) if name in environment and name not in names]
    shown = {name: environment[name] for name in allowed if not any(each in environment[name] for each in secrets)}
    return FIXED | shown


def _directory(subject: Subject, place: Place) -> Path | None:
    """The folder in which the program runs; None for a new one per case."""
    if subject.directory == EMPTY:
        return None
    if subject.directory == TARGET:
        assert place.target is not None, "the compiler refuses `directory: target` without a target"
        return place.target
    return (place.spec / subject.directory).resolve()


def ended_badly(ended: Ended, timeout: float | None) -> Reply | None:
    """The reply of a program that did not end by itself and well; None where it did."""
    if ended.timed_out:
        return Reply(ended.wall, reason=f"no answer within {timeout:g} s", timed_out=True)
    if ended.overflowed:
        return Reply(ended.wall, reason=f"it wrote more than {LARGEST_OUTPUT} bytes to its standard output")
    if ended.fault:
        return Reply(ended.wall, reason=ended.fault)
    if ended.status != 0:
        return Reply(ended.wall, reason=f"the program ended with {_status(ended.status)}")
    return None


def reply_of(ended: Ended, timeout: float | None) -> Reply:
    """What the end of a program, or its line, comes to."""
    bad = ended_badly(ended, timeout)
    if bad is not None:
        return bad
    try:
        return Reply(ended.wall, plain_json(ended.output))
    except Unreadable as fault:
        return Reply(ended.wall, reason=f"its output {fault}")


def _status(status: int | None) -> str:
    if status is None:
        return "no exit status"
    with suppress(ValueError):
        return f"exit status {status}" if status > 0 else signal.Signals(-status).name
    return f"signal {-status}"
