"""Show which splits have been read, by which runs, for what, and with which verdict.

With --check the registry is examined instead: every double reading of a split that may be read once, readings without
an end, and lines that do not hold; exit status 1 where there is an error.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from protoc_compiler.cli.io import Io
from protoc_compiler.cli.workspaces import add_workspace, workspace_of

if TYPE_CHECKING:
    from protoc_runtime.registry import Reading


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `protoc splits`."""
    parser.add_argument("--check", action="store_true", help="report double readings and lines that do not hold")
    add_workspace(parser)


def run(args: argparse.Namespace, io: Io) -> int:
    """List or examine the registry of the workspace."""
    from protoc_runtime.catalogue.registry import BROKEN
    from protoc_runtime.history import check_workspace
    from protoc_runtime.registry import readings, splits_check

    workspace = workspace_of(args)
    if args.check:
        findings = splits_check(workspace.registry)
        if not any(item.id == BROKEN.id for item in findings):
            findings.extend(check_workspace(workspace))
        io.diagnose(findings.sorted())
        if not findings.failed:
            io.out("every split was read as its protocol allows\n")
        return int(findings.failed)
    found = readings(workspace.registry)
    io.out("".join(f"{line}\n" for line in _told(found)) or "no split has been read\n")
    return 0


def _told(found: Sequence[Reading]) -> Iterator[str]:
    """Per protocol version and split the readings, oldest first."""
    groups: dict[tuple[str, int, str], list[Reading]] = {}
    for reading in found:
        groups.setdefault((reading.protocol, reading.version, reading.split), []).append(reading)
    for (protocol, version, split), own in sorted(groups.items()):
        last = own[-1]
        yield f"{protocol} version {version}, {split}: {last.role}, {last.rows} cases, may {', '.join(last.may)}"
        for reading in own:
            yield f"  {reading.at}  {reading.use:<5}  {_end(reading)}  run {reading.run}"


def _end(reading: Reading) -> str:
    if reading.state == "void":
        return f"void ({reading.reason})"
    return reading.verdict if reading.state == "closed" else "no verdict yet"
