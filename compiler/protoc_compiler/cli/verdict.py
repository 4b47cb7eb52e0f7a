"""Close a run that people had to judge: apply the whole protocol to its rows and to what was told.

Prints the final verdict. Exit status 0 if the verdict is released, 1 if it is not, or if a sheet is not in. What did
not wait for people is computed once more, and must be what it was.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from protoc_compiler.cli.io import Io
from protoc_compiler.cli.usage import Usage
from protoc_compiler.cli.workspaces import add_workspace, workspace_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `protoc verdict`."""
    parser.add_argument("run", metavar="RUN", help="the folder of a run whose sheets are in")
    add_workspace(parser)


def run(args: argparse.Namespace, io: Io) -> int:
    """Compute and close."""
    folder = Path(args.run)
    if not folder.is_dir():
        raise Usage(f"there is no folder `{folder}`", "RUN is the folder that `protoc run` printed")
    from protoc_runtime.adjudication.opening import open_checked
    from protoc_runtime.adjudication.verdict import decide
    from protoc_runtime.telling import told

    workspace = workspace_of(args, folder)
    open_checked(folder, None)  # the registry may lack what an attempt that ended early has decided
    decided = decide(folder, workspace)
    io.diagnose(decided.warnings)
    io.out(told(decided, workspace.shown(decided.bundle.resolve())))
    return 0 if decided.released else 1
