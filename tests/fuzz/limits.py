"""A limit on the processor time of one example, so that one which hangs is named by its seed."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SECONDS = 120  # of processor time; most examples need less than one


class TooLong(BaseException):
    """An example that takes too long. No `Exception`, so that nothing on the way takes it for a fault of its own."""


@contextmanager
def limited(seconds: float = SECONDS) -> Iterator[None]:
    """Raise `TooLong` in the block after so many seconds of this process's time: a busy machine makes no difference."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise TooLong

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
