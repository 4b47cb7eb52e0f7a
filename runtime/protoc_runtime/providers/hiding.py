"""Keeps the runner's own environment, which holds credentials, from the processes of a subject.

On Linux a process can read the environment with which another one of the same user was started. A process that is
not dumpable is closed to it; only the superuser still sees it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

_GET, _SET = 3, 4  # PR_GET_DUMPABLE, PR_SET_DUMPABLE


@contextmanager
def hidden_process() -> Iterator[None]:
    """While inside, other processes of this user cannot read this one's environment and memory."""
    if sys.platform != "linux":
        yield
        return
    import ctypes

    prctl = ctypes.CDLL(None).prctl
    before = prctl(_GET)
    prctl(_SET, 0)
    try:
        yield
    finally:
        prctl(_SET, before)
