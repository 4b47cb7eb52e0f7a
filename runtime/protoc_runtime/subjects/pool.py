"""A bounded pool of worker processes for a `python` subject.

Each worker is the leader of a process group of its own, so that a time-out ends the subject and whatever it started.
A worker that died, was killed or left processes behind is replaced before the next case. Workers are replaced, never
trusted again, so one case cannot change another one's outcome.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from protoc_runtime.record import record
from protoc_runtime.subjects.walls import PYTHON

LOADING = 60.0  # seconds that a subject has for its import
ALLOWED = ("PATH", "HOME", "TMPDIR", "SYSTEMROOT")
FIXED = {"LANG": "C.UTF-8", "TZ": "UTC", "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUTF8": "1"}
LARGEST_REPLY = 128 * 1024 * 1024


@record
class Reply:
    """What one call came to: the answer's JSON text, or why there is none; `wall` is in seconds. `quarantined`: it did
    what the protocol does not allow."""

    wall: float
    answer: str | None = None
    reason: str = ""
    timed_out: bool = False
    quarantined: bool = False


@record
class PythonSubject:
    """A `python` subject: the function `name` of the file at `path`; `handed` is the file of what makes its second
    parameter, where the protocol has providers."""

    path: Path
    name: str
    handed: Path | None = None


class LoadFault(Exception):
    """The subject cannot be loaded; the text says why."""


class WorkerEnded(Exception):
    """The worker process ended, or closed its channel, without a reply."""


class Overdue(Exception):
    """No reply within the time that was given."""


class Worker:
    """One worker process; used by one thread at a time."""

    def __init__(self, subject: PythonSubject, log: Path) -> None:
        self._subject = subject
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None
        self._requests = -1
        self._replies = -1
        self._read = bytearray()  # of the replies, and not taken yet
        self._ended = False

    def start(self) -> None:
        """Start the process and load the callable; LoadFault if that fails."""
        self.spawn()
        self.ready()

    def ready(self) -> None:
        """Wait until the process has loaded the callable; LoadFault if that fails."""
        try:
            reply = self._receive(time.monotonic() + LOADING)
        except Overdue:
            raise LoadFault(f"its import took longer than {LOADING:g} s") from None
        except WorkerEnded as fault:
            raise LoadFault(f"its process ended during the import ({fault})") from None
        if "fault" in reply:
            self.stop()
            raise LoadFault(f"its import {reply['fault']}")

    def ask(self, case: bytes, timeout: float | None) -> Reply:
        """Give one case (JSON) to the subject and wait, at most `timeout` seconds, for its answer."""
        try:
            if self._process is None:
                self.start()
        except LoadFault as fault:
            return Reply(0.0, reason=f"the subject could not be loaded again: {fault}")
        begun = time.monotonic()
        try:
            self._send(case)
            reply = self._receive(None if timeout is None else begun + timeout)
        except Overdue:
            self.stop()
            return Reply(time.monotonic() - begun, reason=f"no answer within {timeout:g} s", timed_out=True)
        except WorkerEnded as fault:
            return Reply(time.monotonic() - begun, reason=f"the subject's process ended ({fault})")
        wall = time.monotonic() - begun
        if reply.get("children"):
            self.stop()
        return Reply(wall, reply.get("answer"), reply.get("fault", ""))

    def kill(self) -> None:
        """End the process for good; called from another thread, so the worker's own state is left alone."""
        self._ended = True
        if (process := self._process) is not None:
            _kill_group(process)

    def stop(self) -> int | None:
        """End the process and its group; returns its exit status."""
        process, self._process = self._process, None
        if process is None:
            return None
        for channel in (self._requests, self._replies):
            os.close(channel)
        process.poll()
        _kill_group(process)  # also where the leader is gone: the subject may have left processes in its group
        return process.wait()

    def spawn(self) -> None:
        """Start the process; `ready` waits for it."""
        self._read.clear()
        theirs_in, self._requests = os.pipe()
        self._replies, theirs_out = os.pipe()
        arguments = [str(theirs_in), str(theirs_out), str(self._subject.path), self._subject.name]
        arguments += [] if self._subject.handed is None else [str(self._subject.handed)]
        try:
            with self._log.open("ab") as log:
                self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and file
                    [sys.executable, "-P", "-s", str(Path(__file__).with_name("worker.py")), *arguments],
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    pass_fds=(theirs_in, theirs_out),
                    env=environment(),
                    cwd=self._subject.path.parent,
                    start_new_session=True,
                )
        finally:
            os.close(theirs_in)
            os.close(theirs_out)
        if self._ended:
            _kill_group(self._process)

    def _send(self, data: bytes) -> None:
        view = memoryview(len(data).to_bytes(4, "big") + data)
        try:
            while view:
                view = view[os.write(self._requests, view) :]
        except BrokenPipeError:
            raise WorkerEnded(self._ending()) from None

    def _receive(self, deadline: float | None) -> dict[str, Any]:
        size = int.from_bytes(self._exactly(4, deadline), "big")
        if size > LARGEST_REPLY:
            raise WorkerEnded(f"a reply of {size} bytes; {self._ending()}")
        try:
            reply = json.loads(self._exactly(size, deadline))
        except ValueError:
            reply = None
        if not isinstance(reply, dict):
            raise WorkerEnded(f"it wrote to the channel of the answers; {self._ending()}")
        return reply

    def _exactly(self, size: int, deadline: float | None) -> bytes:
        while len(self._read) < size:
            self._wait(deadline)
            part = os.read(self._replies, min(max(size - len(self._read), 1 << 12), 1 << 20))
            if not part:
                raise WorkerEnded(self._ending())
            self._read += part
        taken = bytes(self._read[:size])
        del self._read[:size]
        return taken

    def _wait(self, deadline: float | None) -> None:
        """Until there is something to read. A dead leader whose forks hold the channel open is noticed too."""
        while True:
            left = 0.2 if deadline is None else min(0.2, deadline - time.monotonic())
            if left <= 0:
                raise Overdue
            waiter = select.poll()
            waiter.register(self._replies, select.POLLIN)
            if waiter.poll(left * 1000):
                return
            if self._process is None or self._process.poll() is not None:
                raise WorkerEnded(self._ending())

    def _ending(self) -> str:
        process = self._process
        if process is not None and process.poll() is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(0.5)
        status = self.stop()
        if status is None:
            return "no exit status"
        return f"killed by {signal.Signals(-status).name}" if status < 0 else f"exit status {status}"


class Pool:
    """Workers that share one subject; `with Pool(...) as pool` starts them all and ends them all."""

    walls = PYTHON

    def __init__(self, subject: PythonSubject, size: int, timeout: float | None, logs: Path) -> None:
        logs.mkdir(parents=True, exist_ok=True)
        self._timeout = timeout
        self._workers = [Worker(subject, logs / f"subject-{number}.log") for number in range(1, size + 1)]
        self._logs = [logs / f"subject-{number}.log" for number in range(1, size + 1)]

    def __enter__(self) -> Pool:
        try:
            for worker in self._workers:
                worker.spawn()  # all of them load at the same time
            for worker in self._workers:
                worker.ready()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def ask(self, slot: int, case: str, row: bytes, addresses: Mapping[str, Any] | None = None) -> Reply:
        """The reply of worker `slot` (from 0) to the case `case`; what it printed is marked with the case.

        `addresses` are those of the providers for this case, where the subject is handed some.
        """
        before = _size(self._logs[slot])
        message = row if addresses is None else json.dumps(addresses).encode() + b"\n" + row
        reply = self._workers[slot].ask(message, self._timeout)
        if _size(self._logs[slot]) > before:
            with self._logs[slot].open("a", encoding="utf-8", errors="replace") as log:
                log.write(f"\n^ printed during case {case}\n")
        return reply

    def interrupt(self) -> None:
        """End every process, from another thread than those that ask; then nothing is answered any more."""
        for worker in self._workers:
            worker.kill()

    def close(self) -> None:
        """End every worker, when no thread asks any more."""
        for worker in self._workers:
            worker.stop()


def environment() -> dict[str, str]:
    """The environment of a worker: a short allow-list, and what makes a subject repeatable."""
    return {name: os.environ[name] for name in ALLOWED if name in os.environ} | FIXED


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
