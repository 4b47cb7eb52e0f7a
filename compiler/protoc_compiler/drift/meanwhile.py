"""Looks whether anything is to be told, in a copy of this process, while this one goes on: on a second processor that
takes no time.

The copy says nothing but that there is nothing to tell. Where it does not say so, whatever has happened to it, the work
is done here, as it is where there is no second processor or where the process has threads, whose locks a copy would
keep for ever. (`proof.apart` sends back whatever the work returns and sets limits; what it loads for that would take
as long as is won here.)
"""

from __future__ import annotations

import os
from collections.abc import Callable

_NOTHING = b"\0"
_THREADS = "/proc/self/task"


class Meanwhile:
    """Pieces of work that were begun, in their order. Each says whether it has found nothing."""

    def __init__(self, *works: Callable[[], bool]) -> None:
        self._works = works
        self._answered = 0  # pieces, from the first on
        self._pipe = self._child = -1
        if works and _worth_while():
            self._begin()

    def nothing(self, which: int) -> bool:
        """Whether this piece is known to have found nothing; waits for it, and for those before it."""
        while self._answered <= which and self._pipe >= 0:
            if os.read(self._pipe, 1):
                self._answered += 1
            else:
                self.end()
        return self._answered > which

    def _begin(self) -> None:
        self._pipe, there = os.pipe()
        parent = os.getpid()
        try:
            self._child = os.fork()
            if self._child == 0:
                self._work(there)
        except OSError:  # there is no room for another process
            self.end()
        finally:
            if os.getpid() != parent:  # an interrupt ends the copy as well; no line of the parent's is written twice
                os._exit(0)
            os.close(there)

    def _work(self, there: int) -> None:
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):  # who reads what this process writes does not wait for the copy
            os.dup2(nowhere, stream)
        for work in self._works:
            if not work():
                return
            os.write(there, _NOTHING)

    def end(self) -> None:
        """The copy does not outlive this."""
        if self._pipe >= 0:
            os.close(self._pipe)
        if self._child > 0:
            try:
                os.kill(self._child, 9)
                os.waitpid(self._child, 0)
            except (ChildProcessError, ProcessLookupError):  # the system waits for children of this process
                pass
        self._pipe = self._child = -1


def _worth_while() -> bool:
    """Whether there is a second processor, and nothing but this thread."""
    try:
        return len(os.sched_getaffinity(0)) > 1 and len(os.listdir(_THREADS)) == 1
    except (AttributeError, OSError):  # of a system that tells neither
        return False
