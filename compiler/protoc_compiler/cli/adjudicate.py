"""Ask people what only people can judge: on a page, or with sheets that are written and taken back filled in.

--serve opens the review room: a page of this machine alone, with a link for each rater, that keeps every step.
--export writes one file per judgement (and rater), `NAME.jsonl`, and a page with what may be seen of each row. Fill in
label or marks, adjudicator, at and note of each line, and change nothing else. --import takes every sheet of a folder
or none; what was taken stays. `protoc verdict` then closes the run.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from protoc_compiler.cli.io import Io
from protoc_compiler.cli.usage import Usage
from protoc_compiler.cli.workspaces import add_workspace, workspace_of

if TYPE_CHECKING:
    from protoc_runtime.adjudication.stages import Stage


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `protoc adjudicate`."""
    parser.add_argument("run", metavar="RUN", help="the folder of a finished run")
    way = parser.add_mutually_exclusive_group(required=True)
    way.add_argument("--export", metavar="DIR", help="write the sheets that can be filled now")
    way.add_argument("--import", dest="take", metavar="DIR", help="take the filled sheets of a folder")
    way.add_argument("--serve", action="store_true", help="open the review room: a page of this machine alone")
    parser.add_argument("--rater", metavar="NAME", help="with --export or --serve: for this rater alone")
    parser.add_argument("--port", type=int, metavar="N", help="with --serve: its port; a free one otherwise")
    add_workspace(parser)


def run(args: argparse.Namespace, io: Io) -> int:
    """Export, import, or serve."""
    folder = Path(args.run)
    if not folder.is_dir():
        raise Usage(f"there is no folder `{folder}`", "RUN is the folder that `protoc run` printed")
    for name, way in (("rater", "--import"), ("port", "--import"), ("port", "--export")):
        if getattr(args, name) is not None and (args.take if way == "--import" else args.export) is not None:
            raise Usage(f"--{name} has no effect with {way}", "leave one of them out")
    if args.take and not Path(args.take).is_dir():
        raise Usage(f"there is no folder `{args.take}`", "DIR is the folder with the filled sheets")
    from protoc_runtime.adjudication.opening import open_checked
    from protoc_runtime.adjudication.sending import export, import_sheets
    from protoc_runtime.telling_sheets import told_export, told_import

    stage = open_checked(folder, workspace_of(args, folder).registry)
    if args.serve:
        return _serve(args, stage, io)
    if args.take:
        taken = import_sheets(stage, Path(args.take))
        io.out(told_import(taken, "protoc", str(folder)))
        return 0
    io.out(told_export(export(stage, Path(args.export), args.rater or "")))
    return 0


def _serve(args: argparse.Namespace, stage: Stage, io: Io) -> int:
    """The review room; nothing is left to do there once every sheet is in."""
    if stage.closed:
        io.out(f"every sheet is in\nnext: protoc verdict {stage.folder}\n")
        return 0
    from protoc_runtime.room.serve import serve

    def say(text: str) -> None:
        """Print at once: people wait for the links, and the room stays open behind them."""
        io.out(text)
        io.stdout.flush()

    serve(stage, rater=args.rater or "", port=args.port or 0, say=say)
    return 0
