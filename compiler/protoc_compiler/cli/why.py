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
    parser.add_argument("run", nargs="+", metavar="RUN", help="the folder of a finished run")
    parser.add_argument("case", metavar="CASE", help="the key of a case, as in cases.jsonl")


def run(args: argparse.Namespace, io: Io) -> int:
    """Explain the case in every run that has it."""
    from protoc_runtime.catalogue.bundle import UNKNOWN_CASE
    from protoc_runtime.diagnostics import Refused
    from protoc_runtime.telling import told_why
    from protoc_runtime.why import why

    folders = [Path(given) for given in dict.fromkeys(args.run)]
    absent: list[Refused] = []
    for folder in folders:
        if not folder.is_dir():
            raise Usage(f"there is no folder `{folder}`", "RUN is the folder that `protoc run` printed")
        try:
            text = told_why(why(folder, args.case))
        except Refused as refused:
            if [item.id for item in refused.diagnostics] != [UNKNOWN_CASE.id]:
                raise
            absent.append(refused)
            continue
        io.out(text if len(folders) == 1 else f"{folder}\n{text}")
    if len(absent) == len(folders):
        raise absent[0]
    return 0
