"""Compare an optimised runtime with the frozen one, row by row.

The same cases, the same route of every case, the same decision at the frozen threshold, no errors; and how far the
scores have drifted. REPORT (JSON) and a page beside it are written first, also where the comparison fails; the exit
status comes last: 0 if both decide alike, else 1. Rows are `.json`, `.jsonl` or `.parquet` files.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from protoc_compiler.cli.io import Io
from protoc_compiler.cli.specs import spec_path
from protoc_compiler.cli.usage import Usage
from protoc_compiler.cli.workspaces import add_workspace

_WORDS = {
    "rows": "{} malformed",
    "ids": "{} on one side only",
    "errors": "{} with an error",
    "routes": "{} with another route",
    "decisions": "{} on the other side of the threshold",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `protoc parity`."""
    parser.add_argument("spec", metavar="SPEC", help="a YAML file or a folder that holds protocol.yaml")
    parser.add_argument("--reference", metavar="F", required=True, help="the rows of the frozen runtime")
    parser.add_argument("--candidate", metavar="F", required=True, help="the rows of the optimised runtime")
    parser.add_argument("--out", metavar="REPORT", required=True, help="the report; it is never overwritten")
    parser.add_argument("--manifest", metavar="MANIFEST", help="the freeze manifest of the optimised runtime")
    add_workspace(parser)


def run(args: argparse.Namespace, io: Io) -> int:
    """Compare, write, tell, and only then fail."""
    from protoc_compiler.cli.compile import compiled
    from protoc_runtime.catalogue import manifests as kinds
    from protoc_runtime.diagnostics import Findings, Refused
    from protoc_runtime.parity.comparing import compare
    from protoc_runtime.parity.reporting import report, write
    from protoc_runtime.parity.rows import read_both
    from protoc_runtime.phases.parity import asks, note
    from protoc_runtime.workspace import find_workspace

    spec = spec_path(args.spec)
    for name in ("reference", "candidate", "manifest"):
        path = getattr(args, name)
        if path is not None and not Path(path).is_file():
            raise Usage(f"there is no file `{path}`")
    (made,) = compiled([spec], Findings(), workspace=args.workspace)
    declared = _declared(made.files)
    if declared.parity is None:
        raise Refused([Findings().add(kinds.NO_PARITY, None, spec=spec)])
    reference, candidate = read_both(Path(args.reference), Path(args.candidate), declared.parity)
    sides = {"reference": reference, "candidate": candidate}
    compared = compare(declared.parity, reference, candidate)
    about = {"id": declared.id, "version": declared.version, "spec_digest": declared.digest}
    found = report(about, declared.parity, sides, compared, _digest(args.manifest))
    page = write(Path(args.out), found)
    if asks(declared):
        note(find_workspace(spec, args.workspace).registry, declared, Path(args.out), found["verdict"])
    _tell(found, io, args.out, page)
    return 0 if compared.holds else 1


def _declared(files: Mapping[str, bytes]) -> Any:
    from protoc_runtime.declared import load

    return load(files["protocol.json"])


def _digest(manifest: str | None) -> str:
    from protoc_runtime.canonical import digest_file

    return "" if manifest is None else "sha256:" + digest_file(manifest)


def _tell(found: Mapping[str, Any], io: Io, out: str, page: Path) -> None:
    from protoc_runtime.catalogue import manifests as kinds
    from protoc_runtime.diagnostics import Findings

    findings = Findings()
    for name, check in found["checks"].items():
        if not check["holds"]:
            noun = "row" if name in ("rows", "errors") else "case"
            count = f"{check['broken']} {noun if check['broken'] == 1 else f'{noun}s'}"
            findings.add(kinds.PARITY_FAILED, None, what=f"{name}: {_WORDS[name].format(count)}", report=out)
    io.diagnose(list(findings))
    drift = found["drift"]["max"]
    drift = "undefined" if drift is None else f"{drift:f}"
    io.out(f"parity: {found['verdict']}, {found['compared']} cases compared, largest drift {drift}\n")
    if "runtime" in found:
        io.out(f"runtime: {found['runtime']['identity']}, to be confirmed\n")
    io.out(f"wrote {out} and {page}\n")
