"""Recompute everything of a run from its bundle, and name the first thing that does not hold, then all others.

The bundle's own rules and its `verify.py` are run; both must agree with its summary. The registry of the workspace is
asked, too, where there is one. Exit status 1 where something does not hold.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from protoc_compiler.cli.io import Io
from protoc_compiler.cli.usage import Usage
from protoc_compiler.cli.workspaces import add_workspace, workspace_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `protoc verify`."""
    parser.add_argument("run", metavar="RUN", help="the folder of a finished run")
    add_workspace(parser)


def run(args: argparse.Namespace, io: Io) -> int:
    """Verify one bundle."""
    from protoc_runtime.verifying import verify

    folder = Path(args.run)
    if not folder.is_dir():
        raise Usage(f"there is no folder `{args.run}`", "RUN is the folder that `protoc run` printed")
    opened, findings = verify(folder, workspace_of(args, folder).registry)
    io.diagnose(list(findings))
    if findings.failed:
        first = next(item for item in findings if item.severity == "error")
        io.out(f"does not hold: {first.message}\n")
        return 1
    counters = opened.summary["counters"]
    io.out(f"holds: {opened.summary['verdict']}, {counters['cases']} cases, {opened.summary['spec_digest']}\n")
    return 0
