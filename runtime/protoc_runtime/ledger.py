"""The record of a run: an append-only, hash-chained file whose events are acknowledged only once they are durable.

Many threads and tasks append at once; one writer thread takes all events that have gathered, writes them, flushes
the disk once and then acknowledges them together (group commit). After a failed write the ledger takes no further
event: what was acknowledged is on the disk, what was not is not relied on.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import threading
import weakref
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from protoc_runtime.canonical import digest_bytes, write_all
from protoc_runtime.chain import Line, Tip, decode, encode, raw_lines, stamp
from protoc_runtime.diagnostics import Diagnostic, Refused
from protoc_runtime.ledger_file import check_chain, io_fault, mend, open_locked, read_events, read_tip, scan
from protoc_runtime.record import record

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Future

__all__ = ["RECOVERED", "Ack", "Ledger", "Posted", "check_chain", "read_events", "read_tip"]

RECOVERED = "recovered"
_open_ledgers: weakref.WeakSet[Ledger] = weakref.WeakSet()


@record
class Ack:
    """An event that is durable: its number, the digest of its line, its time (UTC, ISO)."""

    seq: int
    hash: str
    at: str


class _Batch:
    """Events that are written and flushed together."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self.fault: Diagnostic | None = None
        self._settled = False
        self._gate = threading.Lock()  # closed until the batch is settled; cheaper to wait for than an Event
        self._gate.acquire()
        self._waiting: dict[AbstractEventLoop, list[Future[None]]] = {}
        self._guard = threading.Lock()

    def when_done(self, loop: AbstractEventLoop) -> Future[None]:
        """What a task of this loop may wait for; the tasks of a loop are woken together."""
        durable = loop.create_future()
        with self._guard:
            if not self._settled:
                self._waiting.setdefault(loop, []).append(durable)
                return durable
        durable.set_result(None)
        return durable

    def settle(self, fault: Diagnostic | None) -> None:
        """Wake everyone who waits."""
        with self._guard:
            self.fault = fault
            self._settled = True
        self._gate.release()
        for loop, waiting in self._waiting.items():
            with contextlib.suppress(RuntimeError):  # a loop that was closed waits for nothing
                loop.call_soon_threadsafe(_wake, waiting)

    def wait(self) -> None:
        """Until the batch is settled; from a thread. Raises `Refused` if it did not reach the disk."""
        with self._gate:  # and on to whoever waits next
            pass
        self.check()

    def check(self) -> None:
        """Raise `Refused` if the batch did not reach the disk."""
        if self.fault is not None:
            raise Refused([self.fault])


class Posted:
    """An event that was handed over and may not be durable yet."""

    def __init__(self, batch: _Batch, ack: Ack) -> None:
        self._batch, self._ack = batch, ack

    def wait(self) -> Ack:
        """Until it is durable, and all events before it. Raises `Refused` (E1503 to E1505) if it cannot be recorded."""
        self._batch.wait()
        return self._ack


def _wake(waiting: list[Future[None]]) -> None:
    for durable in waiting:
        if not durable.done():
            durable.set_result(None)


class Ledger:
    """An open ledger; one per file on a machine. Use `Ledger.open`, and close it (or use `with`)."""

    def __init__(self, path: Path, descriptor: int, tip: Tip, recovered: Mapping[str, Any] | None) -> None:
        self.path = path
        self._descriptor = descriptor
        self._next, self._durable = tip, tip.copy()
        self._size = os.fstat(descriptor).st_size
        self._turn = threading.Condition()
        self._pending = _Batch()
        self._closing = False
        self._fault: Diagnostic | None = None
        _open_ledgers.add(self)
        self._writer = threading.Thread(target=self._write_batches, name="ledger", daemon=True)
        self._writer.start()
        if recovered is not None:
            self.append(RECOVERED, recovered)

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Ledger:
        """Open or create a ledger for writing.

        A last line that a crash cut off is removed (completed if only its newline is missing) and a `recovered` event
        tells its bytes and digest. Raises `Refused`: E1501 for a chain that does not hold, E1502 if another process
        writes it, E1503 if it cannot be written.
        """
        path = Path(path)
        descriptor = open_locked(path)
        try:
            tip, torn = scan(path)
            recovered = mend(descriptor, tip, torn)
        except OSError as error:
            os.close(descriptor)
            raise Refused([io_fault(path, error)]) from None
        except BaseException:
            os.close(descriptor)
            raise
        try:
            return cls(path, descriptor, tip, recovered)
        except Refused:
            os.close(descriptor)
            raise

    @property
    def length(self) -> int:
        """The number of durable events."""
        return self._durable.length

    @property
    def head(self) -> str:
        """The digest of the last durable line; 64 zeros if there is none."""
        return self._durable.head

    @property
    def root(self) -> str:
        """The RFC 6962 Merkle root of the durable lines."""
        return self._durable.tree.root()

    def append(self, kind: str, body: Mapping[str, Any]) -> Ack:
        """Record an event and wait until it is durable; safe from any thread.

        The ledger adds `at` to the body (and `wall`, where the clock was set back), so the body must not have these.
        Raises ValueError for a body without a canonical form, `Refused` (E1503 to E1505) if it cannot be recorded.
        """
        return self.post(kind, body).wait()

    def post(self, kind: str, body: Mapping[str, Any]) -> Posted:
        """Record an event without waiting: it is durable before any event that is acknowledged later.

        Raises as `append` does for what is known already; a write that fails afterwards is told by what is returned,
        and by the next event.
        """
        return Posted(*self._enqueue(kind, body))

    async def append_async(self, kind: str, body: Mapping[str, Any]) -> Ack:
        """`append` for a task: other tasks go on while this one waits for the disk."""
        import asyncio

        batch, ack = self._enqueue(kind, body)
        await batch.when_done(asyncio.get_running_loop())
        batch.check()
        return ack

    def not_before(self, at: str) -> None:
        """Let no later event be earlier than `at` (of a seal or registry), also where the clock was set back."""
        with self._turn:
            self._next.at = max(self._next.at, at)

    def events(self) -> Iterator[Line]:
        """The durable events in order, read from the file."""
        for number, raw in enumerate(raw_lines(self.path), 1):
            if number > self.length:
                return
            yield decode(raw.removesuffix(b"\n"))

    def close(self) -> None:
        """Wait for what is being written, then let go of the file. A second call does nothing."""
        with self._turn:
            if self._closing:
                return
            self._closing = True
            self._turn.notify_all()
        self._writer.join()
        _open_ledgers.discard(self)
        fcntl.flock(self._descriptor, fcntl.LOCK_UN)  # a forked child may hold the file open for a moment
        os.close(self._descriptor)

    def __enter__(self) -> Ledger:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()

    def _enqueue(self, kind: str, body: Mapping[str, Any]) -> tuple[_Batch, Ack]:
        if "at" in body or "wall" in body:
            raise ValueError("`at` and `wall` are set by the ledger")
        with self._turn:
            if self._fault is not None:
                raise Refused([self._fault])
            if self._closing:
                raise ValueError("the ledger is closed")
            tip = self._next
            times = stamp(tip.at)
            raw = encode(tip.length + 1, tip.head, kind, {**body, **times})
            tip.advance(digest_bytes(raw), raw, times["at"])
            self._pending.lines.append(raw)
            self._turn.notify()
            return self._pending, Ack(tip.length, tip.head, times["at"])

    def _write_batches(self) -> None:
        while True:
            with self._turn:
                while not self._pending.lines and not self._closing:
                    self._turn.wait()
                if not self._pending.lines:
                    return
                batch, self._pending = self._pending, _Batch()
                reached = self._next.copy()
            data = b"\n".join(batch.lines) + b"\n"
            try:
                write_all(self._descriptor, data)
                os.fsync(self._descriptor)
            except OSError as error:
                self._give_up(batch, error)
                return
            self._size += len(data)
            self._durable = reached
            batch.settle(None)

    def _give_up(self, batch: _Batch, error: OSError) -> None:
        fault = io_fault(self.path, error)
        with self._turn:
            self._fault = fault
            pending, self._pending = self._pending, _Batch()
        try:
            os.ftruncate(self._descriptor, self._size)
        except OSError as second:  # the next opening mends the end; both failures are told
            fault = io_fault(self.path, error, f"; its end could not be cleaned: {second.strerror}")
        batch.settle(fault)
        pending.settle(fault)


def _leave_to_parent() -> None:
    """A forked child must not keep the parent's lock alive."""
    for ledger in list(_open_ledgers):
        os.close(ledger._descriptor)
    _open_ledgers.clear()


os.register_at_fork(after_in_child=_leave_to_parent)
