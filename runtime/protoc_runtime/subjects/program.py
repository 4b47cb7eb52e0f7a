"""One program, from its start to the end of everything that it started: bytes in, bytes out, within bounds.

A warden (`warden.py`) stands over the program. It is told to end it by the closing of a channel, and its own end means
that no process of the program is left.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any

from protoc_runtime.record import record

LARGEST_OUTPUT = 16 * 1024 * 1024  # bytes of standard output that are taken
LARGEST_LOG = 1024 * 1024  # bytes of standard error that are kept of one program
LONGEST_END = 15.0  # seconds that a warden has to end everything
WARDEN = str(Path(__file__).with_name("warden.py"))
_BLOCK = 1 << 16


@record
class View:
    """The file system that a program sees beside an empty /tmp and /dev/shm: paths that it may read or write, and what
    is empty within them. No path has a link in it; `links` (path, target) are those that lead to them."""

    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    hides: tuple[str, ...] = ()
    links: tuple[tuple[str, str], ...] = ()

    def as_json(self) -> dict[str, Any]:
        """As the warden reads it."""
        lists: dict[str, Any] = {"reads": self.reads, "writes": self.writes, "hides": self.hides}
        return lists | {"links": dict(self.links)}


@record
class Program:
    """What is started, and where. `walls`: the network is closed; `port` is then that of the gateway or 0.

    With a `view` the file system is closed; `directory` has to be within it. With `most` it writes no more bytes than
    that into a file, nor into the memory that a view gives it.
    """

    argv: tuple[str, ...]
    directory: Path
    environment: Mapping[str, str]
    walls: bool
    port: int = 0
    view: View | None = None
    most: int = 0


@record
class Ended:
    """How it ended. `status` as of `Popen.returncode`, None if it never did by itself; `fault` why it did not start;
    `filled`: it wrote more than it may."""

    output: bytes
    wall: float
    status: int | None
    fault: str = ""
    timed_out: bool = False
    overflowed: bool = False
    dropped: int = 0
    filled: bool = False


class Running:
    """A program that runs; `run` is for the thread that waits, `kill` for any other."""

    def __init__(
        self, program: Program, log: IO[bytes], listen: Callable[[socket.socket], Callable[[], object]]
    ) -> None:
        self._program, self._log, self._listen = program, log, listen
        self._channel, self._theirs = socket.socketpair()
        self._output, self._told = bytearray(), b""
        self._logged = self._dropped = 0
        self._unlisten: Callable[[], object] = lambda: None

    def run(self, row: bytes, timeout: float | None) -> Ended:
        """Give it `row` on its standard input, and wait for its end."""
        begun = time.monotonic()
        deadline = None if timeout is None else begun + timeout
        process = self._start()
        try:
            with selectors.DefaultSelector() as selector:
                self._watch(selector, process)
                timed_out = self._serve(selector, row, deadline)
                self.kill()
                self._end(process)
                self._drain(selector)
        finally:
            self._unlisten()
            self._close(process)
        told = self._message()
        return Ended(
            output=bytes(self._output),
            wall=time.monotonic() - begun,
            status=told.get("status"),
            fault=told.get("fault", ""),
            timed_out=timed_out,
            overflowed=len(self._output) > LARGEST_OUTPUT,
            dropped=self._dropped,
            filled=bool(told.get("filled")) or told.get("status") == -signal.SIGXFSZ,
        )

    def _serve(self, selector: selectors.BaseSelector, row: bytes, deadline: float | None) -> bool:
        """Read and write until the warden has ended, or something is beyond its bound; whether that is the time."""
        left = memoryview(row)
        while not self._is_over(selector) and len(self._output) <= LARGEST_OUTPUT:
            rest = None if deadline is None else deadline - time.monotonic()
            if rest is not None and rest <= 0:
                return True
            for key, _ in selector.select(rest):
                left = self._step(selector, key.data, left)
        return False

    def kill(self) -> None:
        """Have everything ended."""
        with contextlib.suppress(OSError):
            self._channel.shutdown(socket.SHUT_RDWR)

    def _start(self) -> subprocess.Popen[bytes]:
        view = None if self._program.view is None else self._program.view.as_json()
        about = {"network": self._program.walls, "port": self._program.port, "view": view, "most": self._program.most}
        walls = json.dumps(about)
        number = self._theirs.fileno()
        command = [sys.executable, "-I", "-S", "-B", WARDEN, str(number), walls]
        try:
            return subprocess.Popen(  # noqa: S603 - our own interpreter and file; the program is the declared one
                [*command, *self._program.argv],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=(number,),
                env=dict(self._program.environment),
                cwd=self._program.directory,
                start_new_session=True,
            )
        except BaseException:
            self._channel.close()
            raise
        finally:
            self._theirs.close()

    def _watch(self, selector: selectors.BaseSelector, process: subprocess.Popen[bytes]) -> None:
        for name in ("stdin", "stdout", "stderr"):
            stream = getattr(process, name)
            os.set_blocking(stream.fileno(), False)
            selector.register(
                stream, selectors.EVENT_WRITE if name == "stdin" else selectors.EVENT_READ, (name, stream)
            )
        selector.register(self._channel, selectors.EVENT_READ, ("channel", self._channel))

    def _is_over(self, selector: selectors.BaseSelector) -> bool:
        return self._channel not in {key.fileobj for key in selector.get_map().values()}

    def _step(self, selector: selectors.BaseSelector, data: tuple[str, Any], row: memoryview) -> memoryview:
        """What one stream is ready for; what is left to write."""
        name, stream = data
        if name == "stdin":
            try:
                row = row[os.write(stream.fileno(), row[:_BLOCK]) :] if row else row
            except BlockingIOError:
                return row
            except OSError:  # a program need not read what it is given
                row = row[:0]
            if not row:
                selector.unregister(stream)
                stream.close()
        elif name == "channel":
            if not self._hear():
                selector.unregister(stream)
        elif not self._take(name, stream):
            selector.unregister(stream)
        return row

    def _hear(self) -> bool:
        try:
            data, passed, _, _ = socket.recv_fds(self._channel, _BLOCK, 4)
        except OSError:
            return False
        listener = data.startswith(b"L") and not self._told and len(passed) == 1
        for descriptor in [] if listener else passed:
            os.close(descriptor)
        if listener:
            self._unlisten = self._listen(socket.socket(fileno=passed[0]))
        self._told = (self._told + data)[:_BLOCK]
        return bool(data)

    def _take(self, name: str, stream: IO[bytes]) -> bool:
        """Read what is there; whether there may be more."""
        try:
            part = os.read(stream.fileno(), _BLOCK)
        except BlockingIOError:
            return True
        if name == "stdout":
            self._output += part
        else:
            kept = part[: LARGEST_LOG - self._logged]
            self._log.write(kept)
            self._logged += len(kept)
            self._dropped += len(part) - len(kept)
        return bool(part)

    def _drain(self, selector: selectors.BaseSelector) -> None:
        """What was written before the end and not yet read."""
        for key in list(selector.get_map().values()):
            name, stream = key.data
            if name not in ("stdout", "stderr"):
                continue
            while len(self._output) <= LARGEST_OUTPUT and _is_ready(stream) and self._take(name, stream):
                continue

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        """Wait for the warden; where it does not end, or a program without walls has ended it, its group is killed."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(LONGEST_END)
        if process.returncode is None or not self._told:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def _close(self, process: subprocess.Popen[bytes]) -> None:
        self._channel.close()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()

    def _message(self) -> dict[str, Any]:
        """What the warden has told, in one or two lines."""
        made: dict[str, Any] = {}
        try:
            for line in self._told.removeprefix(b"L").splitlines():
                made |= json.loads(line)
        except (ValueError, TypeError):
            return {}
        return made


def _is_ready(stream: IO[bytes]) -> bool:
    """Whether something can be read at once, the end included."""
    with selectors.DefaultSelector() as selector:
        selector.register(stream, selectors.EVENT_READ)
        return bool(selector.select(0))


def no_listener(listener: socket.socket) -> Callable[[], object]:
    """For programs without a gateway."""
    listener.close()
    return lambda: None
