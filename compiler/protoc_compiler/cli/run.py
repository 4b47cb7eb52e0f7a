"""Run a sealed protocol: ask the subject, apply the rules, print the verdict, the failing rules and the bundle's path.

Exit status 0 if the verdict is released, 1 if it is not, if the phase only tunes, in a rehearsal, or if the run is
refused. Each reading of a split is registered before its first row is read. --rehearse needs no seal, spends no
split and proves nothing: it opens no row of the protocol and makes all of them up.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from protoc_compiler.cli.io import Io
from protoc_compiler.cli.specs import spec_path
from protoc_compiler.cli.usage import Usage, require_text
from protoc_compiler.cli.workspaces import add_workspace, workspace_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `protoc run`."""
    parser.add_argument("spec", metavar="SPEC", help="a YAML file or a folder that holds protocol.yaml")
    parser.add_argument("--phase", metavar="P", help="the phase to run (the last one)")
    parser.add_argument("--rehearse", action="store_true", help="on made-up rows, without a seal; every page says so")
    parser.add_argument("--out", metavar="DIR", help="where the bundle goes (runs, or rehearsals, in the workspace)")
    parser.add_argument("--resume", metavar="RUN", help="the folder of a run that was interrupted")
    parser.add_argument(
        "--attest", action="append", default=[], metavar="NAME=PERSON", help="a statement that a named person confirms"
    )
    add_workspace(parser)


def run(args: argparse.Namespace, io: Io) -> int:
    """Check, and run. The seal pins the package, so only a rehearsal compares it with what the spec compiles to."""
    from protoc_compiler import identity, pipeline
    from protoc_runtime.plan import Request
    from protoc_runtime.running import run as execute
    from protoc_runtime.telling import told

    if args.resume and args.out:
        raise Usage("--out has no effect with --resume", "an interrupted run goes on in its own folder")
    given = spec_path(args.spec)
    protocol, findings = pipeline.check(given)
    if protocol is None:
        io.diagnose(findings.sorted())
        return 1
    spec = Path(os.path.abspath(given))
    workspace = workspace_of(args, spec)
    for place in filter(None, (args.out, args.resume)):
        require_text(workspace.shown(Path(place)), "bundle")
    folder = workspace.generated / protocol.package
    if args.rehearse:
        _check_fresh(args, spec, folder)
    request = Request(
        spec=spec,
        package=folder,
        workspace=workspace,
        phase=args.phase,
        rehearse=args.rehearse,
        out=Path(os.path.abspath(args.out)) if args.out else None,
        resume=Path(os.path.abspath(args.resume)) if args.resume else None,
        digest=identity.digest(protocol),
        screen=io.stderr,
        attest=tuple(_attestation(given) for given in args.attest),
    )
    closed = execute(request)
    io.diagnose([item for item in closed.warnings if item.severity != "error"])
    io.out(told(closed, workspace.shown(closed.bundle)))
    return 0 if closed.released else 1


def _attestation(given: str) -> tuple[str, str]:
    from protoc_runtime.attesting import name_and_person

    found = name_and_person(given)
    if found is None:
        raise Usage(f"`--attest {given}` names no person", "write `--attest NAME=PERSON`")
    return found


def _check_fresh(args: argparse.Namespace, spec: Path, folder: Path) -> None:
    from protoc_compiler.cli.compile import compiled
    from protoc_compiler.sealed import check_fresh
    from protoc_runtime.diagnostics import Findings

    (made,) = compiled([spec], Findings(), workspace=args.workspace)
    check_fresh(spec, folder, made.files)
