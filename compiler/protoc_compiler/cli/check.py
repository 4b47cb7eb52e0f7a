"""Tell everything that is wrong with one or more protocols, each fault with its place and how to mend it.

Exit status 1 with an error (with --strict also with a warning), else 0. Nothing is written.
"""

from __future__ import annotations

from protoc_compiler.cli.io import Io
from protoc_compiler.cli.specs import spec_name
from protoc_compiler.cli.usage import Usage
from protoc_compiler.render import FORMATS
from protoc_runtime.diagnostics import Diagnostic

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `protoc check`."""
    parser.add_argument("spec", nargs="+", metavar="SPEC", help="a YAML file or a folder that holds protocol.yaml")
    parser.add_argument("--strict", action="store_true", help="warnings count as findings, too")
    parser.add_argument("--explain", action="store_true", help="print how each name was read, and what it narrows to")
    parser.add_argument("--format", choices=FORMATS, default="text", help="how diagnostics are printed (text)")


def run(args: argparse.Namespace, io: Io) -> int:
    """Check every spec; all diagnostics of all of them make one document."""
    from protoc_compiler import pipeline

    if args.explain and args.format != "text":
        raise Usage(f"--explain has no effect with --format {args.format}", "leave one of them out")
    found: list[Diagnostic] = []
    for path in dict.fromkeys(map(spec_name, args.spec)):
        done = pipeline.examine(path)
        found += done.findings.sorted()
        if args.explain:
            io.out("".join(f"{line}\n" for line in done.readings))
    io.diagnose(found, args.format)
    if args.format == "text":
        from protoc_compiler.render.text import summary

        io.err(summary(found, len(set(args.spec))))
    counted = ("error", "warning") if args.strict else ("error",)
    return int(any(item.severity in counted for item in found))
