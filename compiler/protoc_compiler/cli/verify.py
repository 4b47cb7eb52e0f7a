"""Recompute everything of a run from its bundle, and name the first thing that does not hold, then all others.

The bundle's own rules and its `verify.py` are run; both must agree with its summary. The registry of the workspace is
asked, too, where there is one. Exit status 1 where something does not hold.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from protoc_compiler.cli.io import Io
from protoc_compiler.cli.usage import Usage
from protoc_compiler.cli.workspaces import add_workspace, workspace_of

if TYPE_CHECKING:
    from protoc_runtime.diagnostics import Diagnostic
    from protoc_runtime.signing.checking import Trust


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `protoc verify`."""
    parser.add_argument("run", nargs="+", metavar="RUN", help="the folder of a finished run")
    parser.add_argument("--key", action="append", type=Path, metavar="FILE", help="a public key that you trust")
    parser.add_argument("--signers", type=Path, metavar="FILE", help="OpenSSH signers that you trust (allowed_signers)")
    parser.add_argument(
        "--tsa",
        action="append",
        type=Path,
        metavar="CERT",
        help="a time-stamp authority that you trust (PEM)",
    )
    add_workspace(parser)


def run(args: argparse.Namespace, io: Io) -> int:
    """Verify every bundle that is named."""
    folders = [Path(given) for given in dict.fromkeys(args.run)]
    for folder in folders:
        if not folder.is_dir():
            raise Usage(f"there is no folder `{folder}`", "RUN is the folder that `protoc run` printed")
    return max(_verify(folder, args, io) for folder in folders)


def _verify(folder: Path, args: argparse.Namespace, io: Io) -> int:
    from protoc_runtime.adjudication.stages import final_verdict
    from protoc_runtime.catalogue.bundle import UNSIGNED
    from protoc_runtime.diagnostics import Refused
    from protoc_runtime.ordering import order_told
    from protoc_runtime.signing.of_bundle import check_evidence
    from protoc_runtime.verdict_words import spoken
    from protoc_runtime.verifying import verify

    try:
        workspace = workspace_of(args, folder)
        opened, findings = verify(folder, workspace.registry)
        evidence, signed = ([], True) if findings.failed else check_evidence(opened, _trust(args), findings)
    except Refused as refused:
        io.diagnose(refused.diagnostics)
        return 1
    if findings.failed:
        first = next(item for item in findings if item.severity == "error")
        io.out(f"{folder} does not hold: {first.message}\n")
        _tell([item for item in findings if item.id != UNSIGNED.id], io)
        return 1
    counters, kind = opened.summary["counters"], opened.summary["kind"]
    verdict = final_verdict(folder) or spoken(opened.summary["verdict"])
    about = f"{kind}, verdict {verdict}, {counters['cases']} cases, {opened.summary['spec_digest']}"
    io.out(f"{folder} holds: {about}\n")
    held, words = order_told(opened, workspace.root)
    io.out(f"  {'checked' if held else 'could not be checked'}, the order of protocol and seal: {words}\n")
    io.out("".join(f"  {line}\n" for line in evidence))
    _tell([item for item in findings if not (signed and item.id == UNSIGNED.id)], io)
    return 0


def _trust(args: argparse.Namespace) -> Trust:
    from protoc_runtime.signing.checking import Trust

    return Trust(tuple(args.key or ()), args.signers, tuple(args.tsa or ()))


def _tell(findings: list[Diagnostic], io: Io) -> None:
    """Below the line about its bundle, also where both streams go to one terminal, log or pipe."""
    io.stdout.flush()
    io.diagnose(findings)
    io.stderr.flush()
