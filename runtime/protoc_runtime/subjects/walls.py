"""Whether a program of the subject can be kept from every network but the gateway, and how that was done.

Where it can, counters of calls are what the ledger recorded. Where it cannot, a program might have called a provider
past the gateway, so that they are no better than a person's word.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from protoc_runtime.record import record
from protoc_runtime.subjects.program import Program, Running, no_listener

SPACES = "name spaces of users, network, processes and mounts"


@record
class Walls:
    """`closed`: the subject reaches nothing but the gateway. `how` says by what, or why not."""

    closed: bool
    how: str


NOT_ASKED = Walls(False, "the protocol declares no provider, so the network is left open")
PYTHON = Walls(False, "a Python subject shares the network of the runner")
SERVICE = Walls(False, "a service runs outside of the runner's reach")


def find_walls() -> Walls:
    """What this machine allows, tried with a program that does nothing."""
    if sys.platform != "linux":
        return Walls(False, "name spaces are there on Linux only")
    program = Program((), Path("/"), {"PATH": "/usr/bin:/bin"}, walls=True)
    with Path("/dev/null").open("wb") as log:
        try:
            ended = Running(program, log, no_listener).run(b"", 30.0)
        except (OSError, subprocess.SubprocessError) as fault:
            return Walls(False, f"name spaces cannot be tried: {fault}")
    if ended.status == 0:
        return Walls(True, SPACES)
    return Walls(False, ended.fault or "name spaces cannot be tried")
