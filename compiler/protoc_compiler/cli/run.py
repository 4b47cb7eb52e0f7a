"""Run a sealed protocol: ask the subject, apply the rules, print the verdict, the failing rules and the bundle's path.

Exit status 0 if the verdict is released, 1 if it is not, if the phase only tunes, in a rehearsal, or if the run is
refused. Each reading of a split is registered before its first row is read. --rehearse needs no seal, spends no
split and proves nothing; where inputs are absent it makes rows up.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from protoc_compiler.cli.io import Io
from protoc_compiler.cli.specs import spec_path
from protoc_compiler.cli.usage import Usage
from protoc_compiler.cli.workspaces import add_workspace, workspace_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `protoc run`."""
    parser.add_argument("spec", metavar="SPEC", help="a YAML file or a folder that holds protocol.yaml")
    parser.add_argument("--phase", metavar="P", help="the phase to run (the last one)")
    parser.add_argument("--rehearse", action="store_true", help="without a seal; marked as a rehearsal on every page")
    parser.add_argument("--out", metavar="DIR", help="where the bundle goes (runs, or rehearsals, in the workspace)")
    parser.add_argument("--resume", metavar="RUN", help="the folder of a run that was interrupted")
    add_workspace(parser)


def run(args: argparse.Namespace, io: Io) -> int:
    """Check, compare with the package, run."""
    from protoc_compiler.cli.compile import compiled
    from protoc_compiler.sealed import check_fresh
    from protoc_runtime.canonical import digest_bytes
    from protoc_runtime.diagnostics import Findings, Refused
    from protoc_runtime.planning import Request
    from protoc_runtime.running import run as execute
    from protoc_runtime.telling import told

    if args.resume and args.out:
        raise Usage("--out has no effect with --resume", "an interrupted run goes on in its own folder")
    given = spec_path(args.spec)
    try:
        (made,) = compiled([given], Findings(), workspace=args.workspace)
    except Refused as refused:
        io.diagnose(refused.diagnostics)
        return 1
    spec, folder = Path(os.path.abspath(given)), Path(os.path.abspath(made.folder))
    workspace = workspace_of(args, spec)
    check_fresh(spec, folder, made.files)
    request = Request(
        spec=spec,
        package=folder,
        workspace=workspace,
        phase=args.phase,
        rehearse=args.rehearse,
        out=Path(os.path.abspath(args.out)) if args.out else None,
        resume=Path(os.path.abspath(args.resume)) if args.resume else None,
        digest="sha256:" + digest_bytes(made.files["protocol.json"]),
        screen=io.stderr,
    )
    closed = execute(request)
    io.diagnose([item for item in closed.warnings if item.severity != "error"])
    io.out(told(closed, workspace.shown(closed.bundle)))
    return 0 if closed.released else 1
