"""`runner.py` of a generated package: what runs this protocol, and no other."""

from __future__ import annotations

from protoc_compiler import core
from protoc_compiler.emit.layout import docstring


def render(protocol: core.Protocol) -> str:
    """The module's text, without the header."""
    words = (
        f"Runs the protocol {protocol.id}, version {protocol.version}.\n\n"
        f"{protocol.title}\n\n"
        f"`python -m {protocol.package}.runner --help` tells what it can do. What is run, and by which rules, stands "
        "in\nprotocol.json and rules.py beside this file; nothing is decided here.\n"
    )
    return f'''{docstring(words)}

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from protoc_runtime.main import run_package

PROTOCOL = {protocol.id!r}
VERSION = {protocol.version}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command that `argv` names; the exit status is 0 for a released verdict, 1 for any other."""
    return run_package(Path(__file__).resolve().parent, list(sys.argv[1:] if argv is None else argv))


if __name__ == "__main__":
    sys.exit(main())
'''
