"""A `command` subject with `pool: true`: a program per slot that stays, a line of JSON in and a line of JSON out.

A line in is `{"case": ROW, "environment": {"PROTOC_EMBEDDING_URL": ...}}`, where `environment` has what changes from
case to case of the variables that a program of its own would have. A program that does not answer in time, writes more
than its line, or ends, is ended with everything that it started; the next case gets a new one. Within its life one case
can influence the next: the receipt says so.
"""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from protoc_runtime.clearing import remove
from protoc_runtime.subjects.command import Commands, reply_of
from protoc_runtime.subjects.pool import Reply
from protoc_runtime.subjects.program import LARGEST_OUTPUT, Ended, Running

NEWLINE = b"\n"


class Staying(Running):
    """One program that stays; `ask` and `end` are for the thread of its slot, `kill` for any other."""

    _process: subprocess.Popen[bytes] | None = None
    _selector: selectors.BaseSelector

    def ask(self, line: bytes, timeout: float | None) -> Ended:
        """Its line for this line; of anything but one whole line also its end."""
        begun = time.monotonic()
        if self._process is None:
            self._open()
        self._logged = self._dropped = 0
        timed_out = self._answer(memoryview(line + NEWLINE), None if timeout is None else begun + timeout)
        answer, found, more = bytes(self._output).partition(NEWLINE)
        if found and not more and not timed_out and len(answer) <= LARGEST_OUTPUT:
            self._output.clear()
            return Ended(answer, time.monotonic() - begun, 0, dropped=self._dropped)
        told = self.end()
        fault = "it wrote more than one line" if more else told.get("fault", "") or _early(told, timed_out)
        overflowed = len(self._output) > LARGEST_OUTPUT
        return Ended(b"", time.monotonic() - begun, told.get("status"), fault, timed_out, overflowed, self._dropped)

    def end(self) -> dict[str, Any]:
        """End everything; what the warden told of it."""
        process, self._process = self._process, None
        if process is None:
            return {}
        self.kill()
        self._end(process)
        self._drain(self._selector)
        self._unlisten()
        self._close(process)
        self._selector.close()
        return self._message()

    def strays(self) -> bool:
        """Whether it has ended, or written more than its line, since it answered; that must answer no other case."""
        if self._process is None:
            return False
        self._drain(self._selector)
        return bool(self._output) or self._process.poll() is not None

    def _open(self) -> None:
        self._process = self._start()
        self._selector = selectors.DefaultSelector()
        self._watch(self._selector, self._process)
        assert self._process.stdin is not None
        self._selector.unregister(self._process.stdin)

    def _answer(self, left: memoryview, deadline: float | None) -> bool:
        """Write the line and read until there is one, or the program has ended; whether the time was up."""
        assert self._process is not None
        stdin = self._process.stdin
        assert stdin is not None
        self._selector.register(stdin, selectors.EVENT_WRITE, ("stdin", stdin))
        try:
            while NEWLINE not in self._output and len(self._output) <= LARGEST_OUTPUT:
                if self._is_over(self._selector):
                    return False
                rest = None if deadline is None else deadline - time.monotonic()
                if rest is not None and rest <= 0:
                    return True
                for key, _ in self._selector.select(rest):
                    left = self._step(self._selector, key.data, left)
            return False
        finally:
            self._drain(self._selector)
            if stdin in {key.fileobj for key in self._selector.get_map().values()}:
                self._selector.unregister(stdin)

    def _step(self, selector: selectors.BaseSelector, data: tuple[str, Any], row: memoryview) -> memoryview:
        """As of a program that ends, but its standard input stays open."""
        name, stream = data
        if name != "stdin":
            return super()._step(selector, data, row)
        try:
            row = row[os.write(stream.fileno(), row[: 1 << 16]) :]
        except BlockingIOError:
            return row
        except OSError:  # it has ended, which the channel tells
            row = row[:0]
        if not row:
            selector.unregister(stream)
        return row


def _early(told: Mapping[str, Any], timed_out: bool) -> str:
    """Why there is no answer of a program that ended well by itself."""
    return "the program ended without an answer" if told.get("status") == 0 and not timed_out else ""


class StayingCommands(Commands):
    """Programs that stay, one per slot."""

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._slots: dict[int, tuple[Staying, IO[bytes], Path]] = {}

    def ask(self, slot: int, case: str, row: bytes, addresses: Mapping[str, Any] | None = None) -> Reply:
        """The reply of the slot's program to a case."""
        if slot in self._slots and self._slots[slot][0].strays():
            self._forget(slot)
        running, log, _ = self._slots.get(slot) or self._begin(slot)
        line = b'{"case": ' + row.replace(NEWLINE, b" ") + b', "environment": ' + self._changing(addresses) + b"}"
        before = log.tell()
        ended = running.ask(line, self._timeout)
        self._mark(log, before, case, ended)
        if ended.status != 0 or ended.fault:
            self._forget(slot)
        return reply_of(ended, self._timeout)

    def close(self) -> None:
        """End every program, when no thread asks any more."""
        for slot in list(self._slots):
            self._forget(slot)

    def _changing(self, addresses: Mapping[str, Any] | None) -> bytes:
        return json.dumps(self._addresses(addresses or {})).encode()

    def _begin(self, slot: int) -> tuple[Staying, IO[bytes], Path]:
        own = Path(tempfile.mkdtemp(prefix="protoc-"))
        log = (self._logs / f"subject-{slot + 1}.log").open("ab", buffering=0)
        running = Staying(self._program(own, {}), log, self._listen)
        with self._guard:
            self._running[slot] = running
            if self._ended:
                running.kill()
            self._slots[slot] = (running, log, own)
        return self._slots[slot]

    def _forget(self, slot: int) -> None:
        running, log, own = self._slots.pop(slot)
        running.end()
        with self._guard:
            self._running.pop(slot, None)
        log.close()
        remove(own)
