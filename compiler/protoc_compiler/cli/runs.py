"""List the runs of the workspace: bundles with their verdict, rehearsals, and runs that were not finished."""

from __future__ import annotations

import argparse

from protoc_compiler.cli.io import Io
from protoc_compiler.cli.workspaces import add_workspace, place, workspace_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `protoc runs`."""
    add_workspace(parser)


def run(args: argparse.Namespace, io: Io) -> int:
    """One line per run, oldest first."""
    from protoc_runtime.listing import list_runs

    workspace = workspace_of(args)
    lines = [
        f"{item.at}  {item.state:<12} {item.verdict:<10} {workspace.shown(item.folder)}"
        for item in list_runs(workspace)
    ]
    io.out("".join(f"{line}\n" for line in lines) or f"nothing has been run{place(args, workspace)}\n")
    return 0
