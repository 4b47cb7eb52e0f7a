"""Tell what the gates of a protocol come to, before anything is run.

For each gate the least counts that satisfy it, whether it can hold and fail, and which others imply it; for all of them
how many errors they allow, and how probable a pass is for systems that are right at a given rate. Everything is exact.
"""

from __future__ import annotations

import json
from pathlib import Path

from protoc_compiler.cli.io import Io
from protoc_compiler.cli.specs import spec_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

_WORK = {"quick": 5_000, "usual": 20_000, "long": 400_000}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `protoc explain`."""
    parser.add_argument("spec", metavar="SPEC", help="a YAML file or a folder that holds protocol.yaml")
    parser.add_argument("--format", choices=("text", "json", "svg"), default="text", help="svg: the curve alone (text)")
    parser.add_argument(
        "--work", choices=tuple(_WORK), default="usual", help="how far each question is followed (usual)"
    )


def run(args: argparse.Namespace, io: Io) -> int:
    """Explain one spec; its errors are told as `check` tells them."""
    from protoc_compiler import pipeline
    from protoc_runtime.diagnostics import Refused

    protocol, findings = pipeline.check(spec_name(args.spec))
    if protocol is None:
        raise Refused(item for item in findings.sorted() if item.severity == "error")
    from protoc_compiler.proof.explaining import explain
    from protoc_compiler.render import explained

    found = explain(protocol, _WORK[args.work], Path(spec_name(args.spec)).parent)
    if args.format == "json":
        io.out(json.dumps(found.to_json(), ensure_ascii=False, indent=2) + "\n")
    else:
        io.out(explained.text(found) if args.format == "text" else explained.svg(found))
    return 0
