"""Show which splits have been read, by which runs, for what, and with which verdict.

With --check the registry is examined instead: every double reading of a split that may be read once, readings without
an end, lines that do not hold, and readings and seals that were deleted; exit status 1 where there is an error.

With --merge marks of a merge conflict that git has left in the registry are taken away, the lines of both sides are
kept, and the registry is examined.

With --overlap two files or folders of cases are audited: keys, whole rows, texts and near-duplicate texts that both
have; exit status 1 where they share anything.

With --void the open readings of an unfinished run are taken back, once, after a failure of the infrastructure before
anything was scored; reason and evidence are shown in every later receipt.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from protoc_compiler.cli.io import Io
from protoc_compiler.cli.usage import Usage
from protoc_compiler.cli.workspaces import add_workspace, place, workspace_of
from protoc_runtime.verdict_words import spoken

if TYPE_CHECKING:
    from protoc_runtime.registry import Reading


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `protoc splits`."""
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--check", action="store_true", help="report double and deleted readings, and broken lines")
    what.add_argument("--merge", action="store_true", help="keep the lines of both sides of a conflict, and check")
    what.add_argument("--overlap", nargs=2, type=Path, metavar=("A", "B"), help="what two files of cases share")
    what.add_argument("--void", type=Path, metavar="RUN", help="take back the readings of an unfinished run")
    parser.add_argument("--key", metavar="COLUMN", help="with --overlap: the column of the keys")
    parser.add_argument("--text", action="append", metavar="COLUMN", help="with --overlap: a column of texts (all)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="with --overlap: write the audit there")
    parser.add_argument("--reason", metavar="TEXT", help="with --void: what failed")
    parser.add_argument(
        "--evidence", action="append", type=Path, metavar="FILE", help="with --void: a file that shows it"
    )
    add_workspace(parser)


def run(args: argparse.Namespace, io: Io) -> int:
    """List or examine the registry of the workspace, audit two files, or take back a reading."""
    _check_usage(args)
    if args.check:
        return _check(args, io)
    if args.merge:
        return _merge(args, io)
    if args.overlap:
        from protoc_compiler.cli.overlap import audit_files

        return audit_files(args, io)
    if args.void:
        return _void(args, io)
    from protoc_runtime.diagnostics import Findings
    from protoc_runtime.registry import readings
    from protoc_runtime.registry_file import told_torn

    workspace, findings = workspace_of(args), Findings()
    found = readings(workspace.registry)
    told_torn(workspace.registry, findings)
    io.diagnose(findings.sorted())
    io.out("".join(f"{line}\n" for line in _told(found)) or f"no split has been read{place(args, workspace)}\n")
    return 0


def _check_usage(args: argparse.Namespace) -> None:
    for name, needs in (("key", "overlap"), ("text", "overlap"), ("json", "overlap"), ("reason", "void"),
                        ("evidence", "void")):  # fmt: skip
        if getattr(args, name) is not None and not getattr(args, needs):
            raise Usage(f"--{name} belongs to --{needs}", f"`protoc splits --{needs} ... --{name} ...`")
    if args.overlap and args.workspace is not None:
        raise Usage("--workspace has no effect with --overlap", "the two files are named where they are")


def _merge(args: argparse.Namespace, io: Io) -> int:
    from protoc_runtime.registry_file import merge

    path = workspace_of(args).registry
    marks = merge(path)
    taken = f"took {marks} marks away, and no line" if marks else "there is no mark of a conflict"
    io.out(f"{path.name}: {taken}\n")
    return _check(args, io)


def _check(args: argparse.Namespace, io: Io) -> int:
    from protoc_runtime.catalogue.registry import BROKEN, CONFLICT
    from protoc_runtime.history import check_workspace
    from protoc_runtime.registry import splits_check

    workspace = workspace_of(args)
    findings = splits_check(workspace.registry)
    if not any(item.id in (BROKEN.id, CONFLICT.id) for item in findings):
        findings.extend(check_workspace(workspace))
    io.diagnose(findings.sorted())
    if not findings.failed:
        io.out("every split was read as its protocol allows\n")
    return int(findings.failed)


def _void(args: argparse.Namespace, io: Io) -> int:
    from protoc_runtime.diagnostics import Refused
    from protoc_runtime.voiding import void_run

    workspace = workspace_of(args, args.void)
    try:
        taken_back = void_run(workspace, args.void.resolve(), args.reason or "", args.evidence or ())
    except Refused as refused:
        io.diagnose(refused.diagnostics)
        return 1
    for reading in taken_back:
        io.out(f"{reading.split}: the reading by run {reading.run} is void; every later receipt shows it\n")
    return 0


def _told(found: Sequence[Reading]) -> Iterator[str]:
    """Per protocol version and split the readings, oldest first."""
    groups: dict[tuple[str, int, str], list[Reading]] = {}
    for reading in found:
        groups.setdefault((reading.protocol, reading.version, reading.split), []).append(reading)
    for (protocol, version, split), own in sorted(groups.items()):
        last = own[-1]
        may = ", ".join(last.may) or "nothing"
        yield f"{protocol} version {version}, {split}: {last.role}, {last.rows} cases, may {may}"
        for reading in own:
            yield f"  {reading.at}  {reading.use:<5}  {_end(reading)}" + (f"  run {reading.run}" if reading.run else "")


def _end(reading: Reading) -> str:
    if reading.state == "void":
        return f"void ({reading.reason})"
    if reading.state == "declared":
        return "declared to be consumed elsewhere"
    return spoken(reading.last_verdict) if reading.state == "closed" else "no verdict yet"
