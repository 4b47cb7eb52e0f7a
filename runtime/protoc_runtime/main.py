"""A generated package by itself: `python -m PACKAGE.runner`, without the compiler.

It runs the protocol that its package was made from. Without the compiler the meaning of a changed spec cannot be
known, so the text must be the sealed one to the byte.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from protoc_runtime.diagnostics import Diagnostic, Refused


def run_package(folder: Path, argv: Sequence[str]) -> int:
    """Run one command of the package in `folder`: `run`, `score`, `verify`; the exit status.

    0: a released verdict, or a bundle that holds. 1: any other, or refused. 2: wrong usage (argparse ends the
    process).
    """
    arguments = _parser(folder).parse_args(list(argv))
    try:
        status: int = arguments.do(folder, arguments)
        return status
    except Refused as refused:
        tell(refused.diagnostics)
        return 1
    except OSError as fault:
        sys.stderr.write(f"{fault.filename or folder}: {fault.strerror or fault}\n")
        return 2


def tell(diagnostics: Sequence[Diagnostic]) -> None:
    """Diagnostics on standard error, one after the other."""
    for item in diagnostics:
        place = f"{item.span.file}:{item.span.line}:{item.span.column}: " if item.span else ""
        sys.stderr.write(f"{place}{item.id} {item.kind.name} {item.message}\n")
        if item.hint:
            sys.stderr.write(f"  hint: {item.hint}\n")
        for other in item.related:
            sys.stderr.write(f"  see: {other.span.file}:{other.span.line}:{other.span.column}: {other.message}\n")


def _parser(folder: Path) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=f"{folder.name}.runner", description="Runs one protocol.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    running = commands.add_parser("run", help="run the protocol to its verdict")
    running.add_argument("--spec", type=Path, metavar="FILE", help="the protocol (where the compiler found it)")
    running.add_argument("--workspace", type=Path, metavar="DIR", help="where runs and the registry are")
    running.add_argument("--phase", metavar="P", help="the phase to run (the last one)")
    running.add_argument("--rehearse", action="store_true", help="on made-up rows, without a seal")
    running.add_argument("--out", type=Path, metavar="DIR", help="where the bundle goes")
    running.add_argument("--resume", type=Path, metavar="RUN", help="the folder of a run that was interrupted")
    running.set_defaults(do=_run)
    scoring = commands.add_parser("score", help="apply the rules to rows that exist already")
    scoring.add_argument("--data", type=Path, required=True, metavar="DIR", help="the folder with the rows")
    scoring.add_argument("--unchecked", action="store_true", help="count Parquet rows without checking them")
    scoring.add_argument("--format", choices=("text", "json"), default="text", help="how results are printed")
    scoring.set_defaults(do=_score)
    verifying = commands.add_parser("verify", help="recompute everything of a run from its bundle")
    verifying.add_argument("bundle", type=Path, metavar="RUN", help="the folder of a finished run")
    verifying.add_argument("--workspace", type=Path, metavar="DIR", help="where the registry is")
    verifying.set_defaults(do=_verify)
    return parser


def _run(folder: Path, arguments: argparse.Namespace) -> int:
    from protoc_runtime.planning import Request
    from protoc_runtime.running import run
    from protoc_runtime.telling import told
    from protoc_runtime.workspace import find_workspace

    workspace = find_workspace(folder, arguments.workspace)
    spec = arguments.spec or workspace.root / json.loads((folder / "package.json").read_bytes())["spec"]
    request = Request(
        spec=Path(os.path.abspath(spec / "protocol.yaml" if spec.is_dir() else spec)),
        package=folder,
        workspace=workspace,
        phase=arguments.phase,
        rehearse=arguments.rehearse,
        out=_absolute(arguments.out),
        resume=_absolute(arguments.resume),
        screen=sys.stderr,
    )
    closed = run(request)
    tell([item for item in closed.warnings if item.severity != "error"])
    sys.stdout.write(told(closed, workspace.shown(closed.bundle)))
    return 0 if closed.released else 1


def _score(folder: Path, arguments: argparse.Namespace) -> int:
    from protoc_runtime.packages import load_protocol, load_rules
    from protoc_runtime.scoring import score
    from protoc_runtime.telling import told_results

    scored = score(load_protocol(folder), load_rules(folder), arguments.data, unchecked=arguments.unchecked)
    tell(scored.warnings)
    results = dict(scored.results)
    as_json = arguments.format == "json"
    sys.stdout.write(json.dumps(results, ensure_ascii=False, indent=2) + "\n" if as_json else told_results(results))
    return 0 if scored.released else 1


def _verify(folder: Path, arguments: argparse.Namespace) -> int:
    from protoc_runtime.verifying import verify
    from protoc_runtime.workspace import find_workspace

    registry = find_workspace(arguments.bundle, arguments.workspace).registry
    opened, findings = verify(arguments.bundle, registry)
    tell(list(findings))
    sys.stdout.write("does not hold\n" if findings.failed else f"holds: {opened.summary['verdict']}\n")
    return int(findings.failed)


def _absolute(path: Path | None) -> Path | None:
    return None if path is None else Path(os.path.abspath(path))
