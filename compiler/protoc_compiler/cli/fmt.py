"""Lay protocols out canonically: sections and keys in the order of the language, comments kept.

Without an option the files are rewritten where they change, and exit status is 0. With --check or --diff nothing is
written, and exit status is 1 where a file would change.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from protoc_compiler.cli.io import Io
from protoc_compiler.cli.specs import spec_path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `protoc fmt`."""
    parser.add_argument("spec", nargs="+", metavar="SPEC", help="a YAML file or a folder that holds protocol.yaml")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--check", action="store_true", help="name the files that would change, and write nothing")
    mode.add_argument("--diff", action="store_true", help="print what would change, and write nothing")


def run(args: argparse.Namespace, io: Io) -> int:
    """Format every spec; a file that cannot be read is told, and the others are still done."""
    from protoc_compiler.fmt import format_text
    from protoc_runtime.diagnostics import Refused

    status = 0
    for path in dict.fromkeys(map(spec_path, args.spec)):
        before = path.read_bytes()
        try:
            after = format_text(before, str(path))
        except Refused as refused:
            io.diagnose(refused.diagnostics)
            status = 1
            continue
        if before != after:
            status = max(status, _changed(path, before, after, args, io))
    return status


def _changed(path: Path, before: bytes, after: bytes, args: argparse.Namespace, io: Io) -> int:
    if args.check:
        io.out(f"{path}\n")
        return 1
    if args.diff:
        io.out(_diff(path, before, after))
        return 1
    _write(path, after)
    io.err(f"formatted {path}\n")
    return 0


def _diff(path: Path, before: bytes, after: bytes) -> str:
    from difflib import unified_diff

    old, new = (data.decode("utf-8", errors="replace").splitlines(keepends=True) for data in (before, after))
    lines = unified_diff(old, new, f"{path} (as it is)", f"{path} (formatted)")
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def _write(path: Path, data: bytes) -> None:
    """Replace the file in one step, so that a stop in between leaves the old one; its mode stays."""
    import os
    import tempfile

    target = path.resolve()
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(name).chmod(target.stat().st_mode & 0o7777)
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
