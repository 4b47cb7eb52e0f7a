"""A generated package by itself: `python -m PACKAGE.runner`, without the compiler.

It does what the commands of `protoc` of the same names do, with the same code of this runtime: run, score, adjudicate,
verdict, verify. It runs the protocol that its package was made from. Without the compiler the meaning of a changed spec
cannot be known, so the text must be the sealed one to the byte.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from protoc_runtime.diagnostics import INTERRUPTED, Diagnostic, Refused
from protoc_runtime.strict_json import parsed


def run_package(folder: Path, argv: Sequence[str]) -> int:
    """Run one command of the package in `folder`; the exit status.

    0: a released verdict, or a bundle that holds. 1: any other, or refused. 2: wrong usage (argparse ends the
    process). 130: interrupted.
    """
    arguments = _parser(folder).parse_args(list(argv))
    try:
        status: int = arguments.do(folder, arguments)
        return status
    except Refused as refused:
        tell(refused.diagnostics)
        return refused.status
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return INTERRUPTED
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
    running.add_argument(
        "--attest", action="append", default=[], type=_attestation, metavar="NAME=PERSON",
        help="a statement that a named person confirms",
    )  # fmt: skip
    running.set_defaults(do=_run)
    scoring = commands.add_parser("score", help="apply the rules to rows that exist already")
    scoring.add_argument("--data", type=Path, required=True, metavar="DIR", help="the folder with the rows")
    scoring.add_argument("--unchecked", action="store_true", help="count Parquet rows without checking them")
    scoring.add_argument("--format", choices=("text", "json"), default="text", help="how results are printed")
    scoring.set_defaults(do=_score)
    verifying = commands.add_parser("verify", help="recompute everything of a run from its bundle")
    verifying.add_argument("bundle", type=Path, metavar="RUN", help="the folder of a finished run")
    verifying.add_argument("--workspace", type=Path, metavar="DIR", help="where the registry is")
    trusted = {"key": "a public key", "signers": "OpenSSH signers", "tsa": "a time-stamp authority (PEM)"}
    for name, what in trusted.items():
        many = "store" if name == "signers" else "append"
        verifying.add_argument(f"--{name}", action=many, type=Path, metavar="FILE", help=f"{what} that you trust")
    verifying.set_defaults(do=_verify)
    _add_stages(commands)
    return parser


def _add_stages(commands: Any) -> None:
    """The commands by which people finish a run."""
    judging = commands.add_parser("adjudicate", help="ask people what only people can judge")
    judging.add_argument("bundle", type=Path, metavar="RUN", help="the folder of a finished run")
    way = judging.add_mutually_exclusive_group(required=True)
    way.add_argument("--export", type=Path, metavar="DIR", help="write the sheets that can be filled now")
    way.add_argument("--import", dest="take", type=Path, metavar="DIR", help="take the filled sheets of a folder")
    judging.add_argument("--rater", default="", metavar="NAME", help="with --export: for this rater alone")
    judging.add_argument("--workspace", type=Path, metavar="DIR", help="where the registry is")
    judging.set_defaults(do=_adjudicate)
    deciding = commands.add_parser("verdict", help="close a run that people have judged")
    deciding.add_argument("bundle", type=Path, metavar="RUN", help="the folder of a run whose sheets are in")
    deciding.add_argument("--workspace", type=Path, metavar="DIR", help="where the registry is")
    deciding.set_defaults(do=_decide)


def _attestation(given: str) -> tuple[str, str]:
    from protoc_runtime.attesting import name_and_person

    found = name_and_person(given)
    if found is None:
        raise argparse.ArgumentTypeError(f"`{given}` names no person: write NAME=PERSON")
    return found


def _run(folder: Path, arguments: argparse.Namespace) -> int:
    from protoc_runtime.plan import Request
    from protoc_runtime.running import run
    from protoc_runtime.telling import told
    from protoc_runtime.workspace import find_workspace

    workspace = find_workspace(folder, arguments.workspace)
    spec = arguments.spec or workspace.root / parsed((folder / "package.json").read_bytes())["spec"]
    request = Request(
        spec=Path(os.path.abspath(spec / "protocol.yaml" if spec.is_dir() else spec)),
        package=folder,
        workspace=workspace,
        phase=arguments.phase,
        rehearse=arguments.rehearse,
        out=_absolute(arguments.out),
        resume=_absolute(arguments.resume),
        screen=sys.stderr,
        attest=tuple(arguments.attest),
    )
    closed = run(request)
    tell([item for item in closed.warnings if item.severity != "error"])
    sys.stdout.write(told(closed, workspace.shown(closed.bundle)))
    return 0 if closed.released else 1


def _score(folder: Path, arguments: argparse.Namespace) -> int:
    from protoc_runtime.packages import load_protocol, load_rules
    from protoc_runtime.scoring import countable, score
    from protoc_runtime.telling import told_results

    declared, rules = load_protocol(folder), load_rules(folder)
    if arguments.unchecked and not countable(declared, rules, arguments.data):
        sys.stderr.write("--unchecked has no effect here: no table is in Parquet of which the rules need only counts\n")
        return 2
    scored = score(declared, rules, arguments.data, unchecked=arguments.unchecked)
    tell(scored.warnings)
    results = dict(scored.results)
    as_json = arguments.format == "json"
    sys.stdout.write(json.dumps(results, ensure_ascii=False, indent=2) + "\n" if as_json else told_results(results))
    return 0 if scored.released else 1


def _verify(folder: Path, arguments: argparse.Namespace) -> int:
    from protoc_runtime.signing.checking import Trust
    from protoc_runtime.signing.of_bundle import check_evidence
    from protoc_runtime.verdict_words import spoken
    from protoc_runtime.verifying import verify
    from protoc_runtime.workspace import find_workspace

    registry = find_workspace(arguments.bundle, arguments.workspace).registry
    opened, findings = verify(arguments.bundle, registry)
    trust = Trust(tuple(arguments.key or ()), arguments.signers, tuple(arguments.tsa or ()))
    evidence, _ = ([], True) if findings.failed else check_evidence(opened, trust, findings)
    tell(list(findings))
    sys.stdout.write("does not hold\n" if findings.failed else f"holds: {spoken(opened.summary['verdict'])}\n")
    sys.stdout.write("".join(f"  {line}\n" for line in evidence if not findings.failed))
    return int(findings.failed)


def _adjudicate(folder: Path, arguments: argparse.Namespace) -> int:
    from protoc_runtime.adjudication.opening import open_checked
    from protoc_runtime.adjudication.sending import export, import_sheets
    from protoc_runtime.telling_sheets import told_export, told_import
    from protoc_runtime.workspace import find_workspace

    workspace = find_workspace(arguments.bundle, arguments.workspace)
    stage = open_checked(_of_this(folder, arguments.bundle), workspace.registry)
    if arguments.take:
        command = f"python -m {folder.name}.runner"
        sys.stdout.write(told_import(import_sheets(stage, arguments.take), command, str(arguments.bundle)))
    else:
        sys.stdout.write(told_export(export(stage, arguments.export, arguments.rater)))
    return 0


def _decide(folder: Path, arguments: argparse.Namespace) -> int:
    from protoc_runtime.adjudication.opening import open_checked
    from protoc_runtime.adjudication.verdict import decide
    from protoc_runtime.telling import told
    from protoc_runtime.workspace import find_workspace

    workspace = find_workspace(arguments.bundle, arguments.workspace)
    open_checked(_of_this(folder, arguments.bundle), None)  # the registry may lack what an attempt has decided
    decided = decide(arguments.bundle, workspace)
    tell(decided.warnings)
    sys.stdout.write(told(decided, workspace.shown(decided.bundle.resolve())))
    return 0 if decided.released else 1


def _of_this(folder: Path, run: Path) -> Path:
    """The folder of a run, if the run is of this protocol. Raises `Refused` (E1401)."""
    from protoc_runtime.catalogue import bundle as kinds
    from protoc_runtime.diagnostics import Findings
    from protoc_runtime.opened import open_bundle
    from protoc_runtime.packages import load_protocol

    stated, declared = open_bundle(run).predicate["protocol"], load_protocol(folder)
    if stated["spec_digest"] != declared.digest:
        other = f"{stated['id']} version {stated['version']}, {stated['spec_digest'][:19]}"
        reason = f"it is one of {other}, and not of this package"
        raise Refused([Findings().add(kinds.NOT_A_BUNDLE, None, path=run, reason=reason)])
    return run


def _absolute(path: Path | None) -> Path | None:
    return None if path is None else Path(os.path.abspath(path))
