"""Tell what changed between two protocols, in which direction, and whether anything can pass that could not before.

OLD and NEW are YAML files, folders, runs, or `REF:path` in git. A file or folder alone is compared with HEAD, `REF` or
`REF:path` alone with the work tree; with none, every protocol of the work tree that differs from HEAD. Exit status 1
where a change of the level of `--fail-on` is not accepted; without it the review only tells, and says what would have
failed.
"""

from __future__ import annotations

import os

from protoc_compiler.cli.io import Io, decorated
from protoc_compiler.cli.usage import Usage
from protoc_compiler.cli.workspaces import add_workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from protoc_compiler.drift.accepted import Entry
    from protoc_compiler.drift.model import Report
    from protoc_compiler.drift.sources import Pair
    from protoc_runtime.diagnostics import Findings

FORMATS = ("text", "markdown", "json", "github", "sarif")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `protoc diff`."""
    parser.add_argument("old", nargs="?", metavar="OLD", help="the protocol before: a file, folder, run, or REF:path")
    alone = "the protocol after; left out, a file is compared with HEAD, a commit with the work tree"
    parser.add_argument("new", nargs="?", metavar="NEW", help=alone)
    parser.add_argument(
        "--fail-on",
        choices=("looser", "incomparable", "any"),
        help="exit 1 where something may pass that could not (looser, incomparable or undecided), or for any change",
    )
    parser.add_argument("--replay", nargs="+", metavar="RUN", help="evaluate recorded runs under the new protocol")
    parser.add_argument("--accepted", metavar="FILE", help="accepted changes (drift-accepted.yaml beside the new spec)")
    parser.add_argument("--accept", action="store_true", help="print entries for that file, ready to paste")
    parser.add_argument("--undeclared", action="store_true", help="show only what no new amendment declares")
    parser.add_argument("--no-proof", action="store_true", help="compare formulas only, count nothing")
    parser.add_argument("--cases", metavar="DIR", help="write the rows of each case that is shown, for `protoc score`")
    parser.add_argument("--format", choices=FORMATS, default="text", help="how the review is printed (text)")
    add_workspace(parser)


def run(args: argparse.Namespace, io: Io) -> int:
    """Compare, show, and judge by `--fail-on`."""
    from protoc_compiler.drift import sources
    from protoc_runtime.diagnostics import Findings, Refused

    if args.accept and args.format != "text":
        raise Usage(f"--accept has no effect with --format {args.format}", "leave one of them out")
    if args.cases is not None:
        _check_cases(args)
    for folder in args.replay or ():
        if not os.path.isdir(folder):
            raise Usage(f"there is no folder `{folder}`", "RUN is the folder that `protoc run` printed")
    pairs = list(sources.pairs(args.old, args.new))
    under = pairs if args.old is not None else sources.differing(pairs)
    if args.replay and len(under) != 1:
        named = f": {', '.join(pair.shown for pair in under)}" if under else ""
        found = f"{len(under) or 'none'} differ{'s' if not under else ''} from HEAD{named}"
        raise Usage(f"--replay evaluates runs under one protocol, and {found}", "name OLD and NEW, or one of them")
    findings = Findings()
    reviewed = [_review(pair, args, findings, args.replay if pair in under else None) for pair in pairs]
    if findings.failed:
        raise Refused(findings.sorted())
    if args.cases is not None:
        reviewed = _with_cases(reviewed, pairs, args.cases, io)
    _show(reviewed, args, io)
    io.diagnose(findings.sorted())
    return int(_failing(reviewed, args.fail_on))


def _review(
    pair: Pair, args: argparse.Namespace, findings: Findings, runs: list[str] | None
) -> tuple[Report, tuple[Entry, ...]]:
    """The review of one pair, with these runs under its new protocol; and the accepted changes."""
    from protoc_compiler.drift import accepted, checking, review

    with checking.Checking(pair, prove=not args.no_proof) as checks:
        report = checks.told(review.of_pair(pair, prove=not args.no_proof))
    path = args.accepted or (accepted.beside(pair.new.shown) if pair.new is not None else None)
    if args.accepted and not os.path.isfile(args.accepted):
        raise Usage(f"there is no file `{args.accepted}`", "`protoc diff --accept` prints what goes into it")
    entries = accepted.load(path, findings) if path else ()
    if path:
        accepted.told_unused(entries, report.changes, path, findings)
    if args.undeclared:
        report = review.undeclared(report)
    if pair.new is not None and report.changes:
        from protoc_compiler.drift import seen

        report = seen.told(report, pair, args.workspace, findings)
    if runs:
        from protoc_compiler.drift import replay

        old, new = pair.old, pair.new
        report = replay.gone(report, runs) if new is None else replay.replayed(report, old, new, runs)
    return report, entries


def _check_cases(args: argparse.Namespace) -> None:
    from protoc_compiler.drift import cases

    for name, given in (("--no-proof", args.no_proof), ("--accept", args.accept)):
        if given:
            raise Usage(f"--cases has no effect with {name}", "leave one of them out")
    cases.free(args.cases)


def _with_cases(
    reviewed: list[tuple[Report, tuple[Entry, ...]]], pairs: list[Pair], folder: str, io: Io
) -> list[tuple[Report, tuple[Entry, ...]]]:
    """The reviews with the folders of their cases, which are written."""
    from protoc_compiler.drift import cases

    reports = cases.written([(report, pair) for (report, _), pair in zip(reviewed, pairs, strict=True)], folder)
    if not os.path.isdir(folder) or not os.listdir(folder):
        io.err(f"protoc diff: no case is shown, and `{folder}` is not written\n")
    return [(report, entries) for report, (_, entries) in zip(reports, reviewed, strict=True)]


def _show(reviewed: list[tuple[Report, tuple[Entry, ...]]], args: argparse.Namespace, io: Io) -> None:
    from protoc_compiler.drift import accepted, show

    if args.accept:
        left = tuple(change for report, known in reviewed for change in accepted.open_changes(report.changes, known))
        io.out(accepted.paste(left) if left else "# nothing is left to accept\n")
        return
    if not reviewed and args.format in ("text", "markdown"):
        io.out("No protocol differs from HEAD.\n")
        return
    shown = args.format == "text" and decorated(io.stdout)
    color = shown and not os.environ.get("NO_COLOR")
    text = show.render(reviewed, args.format, color=color, width=_width() if shown else 100, level=args.fail_on)
    if color:
        io.stdout.write(text)
    else:
        io.out(text)


def _width() -> int:
    import shutil

    return max(60, min(shutil.get_terminal_size().columns, 160))


def _failing(reviewed: list[tuple[Report, tuple[Entry, ...]]], level: str | None) -> bool:
    from protoc_compiler.drift.failing import failing

    return any(failing(report, entries, level).fails for report, entries in reviewed)
