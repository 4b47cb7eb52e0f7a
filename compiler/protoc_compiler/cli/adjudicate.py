"""Ask people what only people can judge: write the sheets of a finished run, or take them back filled in.

--export writes one file per judgement, `NAME.jsonl`, and a page with what may be seen of each row. Fill in label,
adjudicator, at and note of each line, and change nothing else. --import takes every sheet of a folder or none; what was
taken stays. `protoc verdict` then closes the run.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from protoc_compiler.cli.io import Io
from protoc_compiler.cli.usage import Usage
from protoc_compiler.cli.workspaces import add_workspace, workspace_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `protoc adjudicate`."""
    parser.add_argument("run", metavar="RUN", help="the folder of a finished run")
    way = parser.add_mutually_exclusive_group(required=True)
    way.add_argument("--export", metavar="DIR", help="write the sheets that can be filled now")
    way.add_argument("--import", dest="take", metavar="DIR", help="take the filled sheets of a folder")
    way.add_argument("--serve", action="store_true", help="open the review room: a page of this machine alone")
    parser.add_argument("--rater", metavar="NAME", help="with --export or --serve: for this rater alone")
    parser.add_argument("--port", type=int, default=0, metavar="N", help="with --serve: its port; a free one otherwise")
    add_workspace(parser)


def run(args: argparse.Namespace, io: Io) -> int:
    """Export or import."""
    folder = Path(args.run)
    if args.serve:
        raise Usage("--serve is not built", "use --export DIR, fill in the sheets, then --import DIR")
    if not folder.is_dir():
        raise Usage(f"there is no folder `{folder}`", "RUN is the folder that `protoc run` printed")
    if args.take and not Path(args.take).is_dir():
        raise Usage(f"there is no folder `{args.take}`", "DIR is the folder with the filled sheets")
    from protoc_runtime.adjudication.checking import open_checked
    from protoc_runtime.adjudication.sending import export, import_sheets

    stage = open_checked(folder, workspace_of(args, folder).registry)
    if args.take:
        taken = import_sheets(stage, Path(args.take))
        io.out("".join(f"{name}: taken\n" for name in taken.taken))
        io.out("".join(f"{name}: in already, from the same sheet\n" for name in taken.before))
        next_ = f"protoc adjudicate {folder} --export DIR" if taken.waiting else f"protoc verdict {folder}"
        io.out(f"next: {next_}\n")
        return 0
    written = export(stage, Path(args.export), args.rater or "")
    io.out("".join(f"{name}: {count} {'row' if count == 1 else 'rows'}\n" for name, count in written.rows.items()))
    io.out("".join(f"{name}: waits for what comes before it\n" for name in written.waiting))
    io.out("".join(f"wrote {path}\n" for path in written.files) or "every sheet is in\n")
    return 0
