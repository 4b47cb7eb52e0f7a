"""Pin a protocol, its data, its subject's code and its generated package, before anything is run.

The protocol must have no error, its package must be fresh, every row valid, every `expect` true. Sealing the unchanged
again does nothing; a change needs --reason, and is shown beside the first seal in every later receipt.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from protoc_compiler.cli.io import Io
from protoc_compiler.cli.sign import add_means, sign
from protoc_compiler.cli.specs import spec_path
from protoc_compiler.cli.workspaces import add_workspace, workspace_of

_SHOWN = 3

if TYPE_CHECKING:
    from protoc_compiler.sealed import Sealed
    from protoc_runtime.workspace import Workspace


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `protoc seal`."""
    parser.add_argument("spec", metavar="SPEC", help="a YAML file or a folder that holds protocol.yaml")
    parser.add_argument("--reason", metavar="TEXT", help="why a sealed protocol is changed and sealed again")
    add_means(parser, "--sign")
    add_workspace(parser)


def run(args: argparse.Namespace, io: Io) -> int:
    """Check, compare with the package, validate the rows, seal; print what was pinned."""
    from protoc_compiler.cli.compile import compiled
    from protoc_compiler.sealed import seal_protocol
    from protoc_runtime.declared import load
    from protoc_runtime.diagnostics import Findings, Refused
    from protoc_runtime.phases.entering import require_in_time

    given, findings = spec_path(args.spec), Findings()
    workspace = workspace_of(args, given)
    try:
        (made,) = compiled([given], findings, workspace=args.workspace)
    except Refused as refused:
        io.diagnose(refused.diagnostics)
        return 1
    io.diagnose(findings.sorted())
    spec = Path(os.path.abspath(given))
    require_in_time(load(made.files["protocol.json"]), spec.parent, workspace)
    sealed = seal_protocol(spec, Path(os.path.abspath(made.folder)), made.files, args.reason, workspace.registry)
    io.diagnose(sealed.warnings)
    io.out("".join(f"{line}\n" for line in _told(sealed, spec, workspace)))
    return sign(spec, args, io) if args.key or args.ssh or args.timestamp else 0


def _told(sealed: Sealed, spec: Path, workspace: Workspace) -> Iterator[str]:
    from protoc_runtime.seal import FILE_NAME

    seal, pins = sealed.seal, sealed.seal.pins
    name = f"{pins.protocol} version {pins.version}"
    yield f"sealed {name}" if sealed.new else f"{name} has not changed since it was sealed at {seal.time}"
    yield f"  meaning  {pins.spec}"
    yield f"  package  {workspace.shown(workspace.generated / pins.package.name)}: {_count(pins.package.files, 'file')}"
    yield f"  inputs   {_count(pins.inputs, 'file')}, {sum(pin.rows for pin in pins.inputs)} rows"
    for split in pins.splits:
        yield f"  split    {split.name}: {split.rows} cases"
    yield f"  files    {', '.join(pin.path for pin in pins.code) or 'none'}"
    yield f"  git      {_git(sealed, workspace)}"
    yield f"  seal     {workspace.shown(spec.parent / FILE_NAME)}, number {sealed.seals}: {seal.digest}"


def _git(sealed: Sealed, workspace: Workspace) -> str:
    seal = sealed.seal
    if seal.clean is None:
        return "outside of a repository; nothing shows when this was sealed but this file itself"
    if seal.commit is None:
        return "no commit yet; commit everything, then seal again with --reason"
    if seal.clean:
        return f"commit {seal.commit[:12]}, which holds every pinned file"
    names = [workspace.shown(Path(path)) for path in sealed.unclean]
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    told = f": {', '.join(names[:_SHOWN])}{more}" if names else ""
    again = "commit them, then seal again with --reason" if names else "git has them now: seal again with --reason"
    return f"commit {seal.commit[:12]}, which does not hold every pinned file as it is{told} ({again})"


def _count(things: object, what: str) -> str:
    number = len(things)  # type: ignore[arg-type]
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
