"""Does a piece of work in a child process that is ended when it takes too much: what runs outside Python, and looks at
no limit of its own, would else never end.

The child is a copy of this process, so the work may use all that is here; what it returns is sent back. It has limits
for processor time and for memory, and dies with its parent, however that ends. Where a system has no `fork`, the work
is done here, without these limits.
"""

from __future__ import annotations

import os
import pickle
import signal
import socket
import threading
import traceback
import warnings
from collections.abc import Callable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar

    Result = TypeVar("Result")

_PREFIX = 8  # bytes that say how long a message is: one of a child that died meanwhile is not complete
_PIECE = 65_536


class Ended(Exception):
    """The child was ended before it was done; says by what."""


class FailedApart(Exception):
    """The work has raised something in the child; has its traceback."""


def apart(work: Callable[[], Result], seconds: int, room: int) -> Result:
    """What the work returns. `seconds`: of processor time; `room`: bytes of memory besides what is taken already.

    Raises `Ended`, or `FailedApart` where the work has raised something."""
    if not hasattr(os, "fork"):
        return work()
    here, there = socket.socketpair()
    with here, there:
        # an interrupt waits until it is known whom to end
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            child = _forked()
            if child == 0:
                _work(work, here, there, seconds, room, before)
            there.close()
            found: Result = _result(child, here, before, seconds)
            return found
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _forked() -> int:
    """The number of a new process, 0 in that process itself."""
    with warnings.catch_warnings():
        # Python warns of locks that other threads hold just now: the child calculates and sends, and takes none of them
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            return os.fork()
        except OSError as why:
            raise Ended(f"no process could be started for it: {why.strerror}") from None


# --- in the child -----------------------------------------------------------------------------------------------------


def _work(
    work: Callable[[], object], here: socket.socket, there: socket.socket, seconds: int, room: int, before: Any
) -> None:
    """Works, sends and ends: without what a process does at its end, for its streams hold what the parent writes."""
    try:
        here.close()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGXCPU):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1):  # what is printed outside Python does not get between the parent's lines
            os.dup2(nothing, stream)
        threading.Thread(target=_follow, args=(there,), daemon=True).start()
        told = _told(work, seconds, room)
        there.sendall(len(told).to_bytes(_PREFIX, "big") + told)
    finally:
        os._exit(0)


def _told(work: Callable[[], object], seconds: int, room: int) -> bytes:
    """What came of the work, as it is sent."""
    try:
        _limit(seconds, room)
        return pickle.dumps(("done", work()))
    except MemoryError:
        return pickle.dumps(("ended", f"it needs more than {room >> 20} MiB of memory"))
    except Exception:
        return pickle.dumps(("failed", traceback.format_exc()))


def _follow(there: socket.socket) -> None:
    """End with the parent: it sends nothing, so this waits until it is gone."""
    try:
        there.recv(1)
    finally:
        os._exit(0)


def _limit(seconds: int, room: int) -> None:
    import resource

    limits = {resource.RLIMIT_CORE: 0, resource.RLIMIT_CPU: seconds}
    taken = _taken()
    if taken:
        limits[resource.RLIMIT_AS] = taken + room
    for what, wanted in limits.items():
        _, most = resource.getrlimit(what)
        resource.setrlimit(what, (wanted if most == resource.RLIM_INFINITY else min(wanted, most), most))


def _taken() -> int:
    """The bytes that this process has mapped; 0 where the system does not tell."""
    try:
        with open("/proc/self/statm", encoding="ascii") as told:
            return int(told.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except FileNotFoundError:
        return 0


# --- in the parent ----------------------------------------------------------------------------------------------------


def _result(child: int, here: socket.socket, before: Any, seconds: int) -> Any:
    """What the child sends; it does not outlive this call."""
    status = -1
    try:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        told = b"".join(iter(lambda: here.recv(_PIECE), b""))
        status = _waited(child)
    finally:
        if status < 0:
            try:
                os.kill(child, signal.SIGKILL)
            finally:
                _waited(child)
    size = int.from_bytes(told[:_PREFIX], "big")
    if len(told) < _PREFIX or len(told) != _PREFIX + size:
        raise Ended(_how(status, seconds))
    kind, value = pickle.loads(told[_PREFIX:])  # noqa: S301 - from our own child
    if kind == "done":
        return value
    raise Ended(value) if kind == "ended" else FailedApart(value)


def _waited(child: int) -> int:
    """How the child ended."""
    try:
        return os.waitpid(child, 0)[1]
    except ChildProcessError:  # this process has its children waited for elsewhere, or by the system
        return 0


def _how(status: int, seconds: int) -> str:
    """How a child has ended that sent nothing."""
    if not os.WIFSIGNALED(status):
        return "it ended without an answer"
    number = os.WTERMSIG(status)
    if number == signal.SIGXCPU:
        return f"it was not done after {seconds} s of processor time"
    return f"it was ended by signal {number} ({signal.strsignal(number)})"
