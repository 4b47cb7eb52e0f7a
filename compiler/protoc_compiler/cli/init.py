"""Write a small protocol that already compiles, seals and runs, with its rows and its subject.

Nothing is overwritten.
"""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from protoc_compiler.cli.io import Io


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `protoc init`."""
    from protoc_compiler.starting import TEMPLATES

    about = "; ".join(f"{name}: {words}" for name, words in TEMPLATES.items())
    parser.add_argument("folder", nargs="?", default=".", metavar="DIR", help="where to write it (the current folder)")
    parser.add_argument("--template", choices=sorted(TEMPLATES), default="python", help=f"{about} (python)")


def run(args: argparse.Namespace, io: Io) -> int:
    """Write the files and name them."""
    from protoc_compiler.starting import missing_lines, start_project

    written = start_project(Path(args.folder), args.template)
    io.out("".join(f"{path}\n" for path in written))
    spec = next(path.parent for path in written if path.name == "protocol.yaml")
    shown = spec.relative_to(args.folder)
    steps = [
        *([] if args.folder == "." else [f"cd {shlex.quote(args.folder)}"]),
        *([] if _in_repository(Path(args.folder).resolve()) else ["git init"]),
        f"protoc check {shown}",
        f"protoc compile {shown}",
        'git add . && git commit -m "Write the protocol"',
        f"protoc seal {shown}",
        'git add . && git commit -m "Seal the protocol"',
        f"protoc run {shown}",
    ]
    io.err("next:\n" + "".join(f"  {step}\n" for step in steps))
    for path, line in missing_lines(Path(args.folder)):
        io.err(f"add this line to {path}: {line}\n")
    return 0


def _in_repository(folder: Path) -> bool:
    return any((place / ".git").exists() for place in (folder, *folder.parents))
