"""Tell how one case of a run was decided: its outcome, its rows with derived columns, and what it made a difference to.

The rules of the bundle are applied once more without the case and what refers to it; every number, rule and list that
is then another one is shown with both values.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from protoc_compiler.cli.io import Io
from protoc_compiler.cli.usage import Usage


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `protoc why`."""
    parser.add_argument("run", metavar="RUN", help="the folder of a finished run")
    parser.add_argument("case", metavar="CASE", help="the key of a case, as in cases.jsonl")


def run(args: argparse.Namespace, io: Io) -> int:
    """Explain one case."""
    from protoc_runtime.telling import told_why
    from protoc_runtime.why import why

    if not Path(args.run).is_dir():
        raise Usage(f"there is no folder `{args.run}`", "RUN is the folder that `protoc run` printed")
    io.out(told_why(why(Path(args.run), args.case)))
    return 0
