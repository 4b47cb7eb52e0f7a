"""Print the JSON Schema of a spec, for editors, or of the JSON that a command prints, for programs."""

from __future__ import annotations

import argparse
import json
from importlib import import_module

from protoc_compiler.cli.io import Io

SCHEMAS = {
    "spec": ("protoc_compiler.schema_export", "spec_schema"),
    "score": ("protoc_compiler.emit.score_schema", "schema"),
    "diagnostics": ("protoc_compiler.render.json_", "schema"),
    "diff": ("protoc_compiler.drift.show.json_", "schema"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `protoc schema`."""
    parser.add_argument("--for", dest="what", choices=tuple(SCHEMAS), default="spec", help="which schema (spec)")


def run(args: argparse.Namespace, io: Io) -> int:
    """Print one schema document."""
    module, function = SCHEMAS[args.what]
    document = getattr(import_module(module), function)()
    io.out(json.dumps(document, ensure_ascii=False, indent=2) + "\n")
    return 0
