"""Apply the metrics, blockers, gates and verdict of a protocol to rows that exist already. No run, no claim.

DIR holds one file per table: TABLE.jsonl, TABLE.csv or TABLE.parquet, or the file that the protocol names. Exit status
0 if the verdict is released, else 1.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

from protoc_compiler.cli.io import Io
from protoc_compiler.cli.specs import spec_path
from protoc_compiler.cli.usage import Usage
from protoc_compiler.cli.workspaces import add_workspace


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `protoc score`."""
    parser.add_argument("spec", metavar="SPEC", help="a YAML file or a folder that holds protocol.yaml")
    parser.add_argument("--data", metavar="DIR", required=True, help="the folder with the rows")
    parser.add_argument(
        "--unchecked",
        action="store_true",
        help="count Parquet rows that were checked before, without checking them again",
    )
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how results are printed (text)")
    add_workspace(parser)


def run(args: argparse.Namespace, io: Io) -> int:
    """Check, compile into a folder of its own, score."""
    from protoc_compiler.cli.compile import compiled
    from protoc_compiler.emit import package
    from protoc_runtime.diagnostics import Findings
    from protoc_runtime.packages import load_protocol, load_rules
    from protoc_runtime.scoring import countable, score
    from protoc_runtime.telling import told_results

    (made,) = compiled([spec_path(args.spec)], Findings(), workspace=args.workspace)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / made.folder.name
        package.write(made.files, place)
        declared, rules = load_protocol(place), load_rules(place)
        if args.unchecked and not countable(declared, rules, Path(args.data)):
            raise Usage("--unchecked has no effect here", "no table is in Parquet of which the rules need only counts")
        scored = score(declared, rules, Path(args.data), unchecked=args.unchecked)
    io.diagnose(scored.warnings)
    results = dict(scored.results)
    io.out(json.dumps(results, ensure_ascii=False, indent=2) + "\n" if args.format == "json" else told_results(results))
    return 0 if scored.released else 1
