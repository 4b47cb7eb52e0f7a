"""Show where a study stands in its state machine: what each phase has seen, what may be entered now, and why not more.

With --attest PHASE.NAME=PERSON, which may be repeated, it is written down first who has done what a phase asks of
people.
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
    """The arguments of `protoc phases`."""
    parser.add_argument("spec", metavar="SPEC", help="a YAML file or a folder that holds protocol.yaml")
    parser.add_argument(
        "--attest", action="append", default=[], metavar="PHASE.NAME=PERSON", help="who has done a duty of a phase"
    )
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how the state is printed")
    add_workspace(parser)


def run(args: argparse.Namespace, io: Io) -> int:
    """Print the state; exit status 1 where a run is in the registry that the machine did not allow, and without a state
    where lines of the registry are gone (E2305)."""
    import json

    from protoc_compiler import identity, pipeline
    from protoc_runtime.diagnostics import Refused
    from protoc_runtime.history import check_registry
    from protoc_runtime.phases import survey
    from protoc_runtime.phases.machine import is_machine
    from protoc_runtime.plan import Request

    given = spec_path(args.spec)
    protocol, findings = pipeline.check(given)
    if protocol is None:
        raise Refused(findings.sorted())
    if not is_machine(protocol):
        raise Usage(f"the phases of {protocol.id} make no state machine", "`then` says which phase may follow another")
    spec = Path(os.path.abspath(given))
    workspace = workspace_of(args, spec)
    package = workspace.generated / protocol.package
    lost = check_registry(workspace)
    if lost.failed:
        raise Refused(lost.sorted())
    request = Request(spec=spec, package=package, workspace=workspace, digest=identity.digest(protocol))
    survey.attest(request, [_attestation(each) for each in args.attest])
    state = survey.survey(request)
    io.diagnose(state.findings)
    if args.format == "json":
        io.out(json.dumps(survey.as_json(state), ensure_ascii=False, indent=2) + "\n")
    else:
        io.out("".join(f"{line}\n" for line in survey.told(state)))
    return int(bool(state.findings))


def _attestation(given: str) -> tuple[str, str]:
    name, _, person = (part.strip() for part in given.partition("="))
    if not name or not person:
        raise Usage(f"`--attest {given}` names no person", "write `--attest PHASE.NAME=PERSON`")
    return name, person
