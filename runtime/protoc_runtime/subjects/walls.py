"""Whether a program of the subject can be kept from every network but the gateway, and from the files of the runner.

Where it can, counters of calls are what the ledger recorded, and what the subject does not see is withheld for certain.
Where it cannot, a program might have called a provider past the gateway, or read the labels from the disk, so that
both are no better than a person's word.
"""

from __future__ import annotations

import functools
import subprocess
import sys
from pathlib import Path

from protoc_runtime.record import record
from protoc_runtime.subjects.program import Program, Running, no_listener
from protoc_runtime.subjects.view import view_for

__all__ = ["Walls", "find_walls", "view_for"]

SPACES = "name spaces of users, network, processes and mounts"
FILES = "a file system of its own, with the system and what the protocol names"
LONGEST_TRIAL = 30.0  # seconds


@record
class Walls:
    """`closed`: the subject reaches nothing but the gateway. `how` says by what, or why not. `files` and `files_how`
    say the same of its file system: that it sees the system and its own folders, and nothing of the runner's."""

    closed: bool
    how: str
    files: bool = False
    files_how: str = "the file system is left open"

    def told(self) -> dict[str, object]:
        """As the ledger has it."""
        about = {"files": self.files, "files_how": self.files_how}
        return {"closed": self.closed, "how": self.how, **about}


SHARED = "a Python subject shares the files of the runner"
LEFT_OPEN = "the protocol declares no provider, so the network is left open"
NOT_ASKED = Walls(False, LEFT_OPEN)
PYTHON = Walls(False, "a Python subject shares the network of the runner", False, SHARED)
SERVICE = Walls(False, "a service runs outside of the runner's reach", False, "a service has files of its own")


def without_providers(found: Walls) -> Walls:
    """The walls of a program that nobody counts calls of: only its files are closed."""
    return Walls(False, LEFT_OPEN, found.files, found.files_how)


@functools.cache
def find_walls() -> Walls:
    """What this machine allows, tried once with a program that does nothing."""
    if sys.platform != "linux":
        why = "name spaces are there on Linux only"
        return Walls(False, why, False, why)
    no_network = _tried(Program((), Path("/"), {"PATH": "/usr/bin:/bin"}, walls=True))
    no_files = _tried(Program((), Path("/"), {"PATH": "/usr/bin:/bin"}, walls=False, view=view_for(("true",), {})))
    return Walls(not no_network, no_network or SPACES, not no_files, no_files or FILES)


def _tried(program: Program) -> str:
    """Why it cannot be had; "" where it can."""
    with Path("/dev/null").open("wb") as log:
        try:
            ended = Running(program, log, no_listener).run(b"", LONGEST_TRIAL)
        except (OSError, subprocess.SubprocessError) as fault:
            return f"name spaces cannot be tried: {fault}"
    return "" if ended.status == 0 else ended.fault or "name spaces cannot be tried"
