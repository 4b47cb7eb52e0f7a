"""Every command: the module that does it, and the line that `protoc --help` shows for it.

A module has `add_arguments(parser)` and `run(args, io) -> int`; its docstring is its help text. It is imported only
when its command is called. What it declares is read by `arguments.Arguments`, or, where that does not suffice, by
argparse.
"""

from __future__ import annotations

COMMANDS: dict[str, tuple[str, str]] = {
    "check": ("protoc_compiler.cli.check", "tell everything that is wrong with a protocol"),
    "explain": ("protoc_compiler.cli.explain", "tell what the gates of a protocol come to, before anything is run"),
    "fmt": ("protoc_compiler.cli.fmt", "lay a protocol out canonically, comments kept"),
    "schema": ("protoc_compiler.cli.schema", "print the JSON Schema of a spec or of an output"),
    "init": ("protoc_compiler.cli.init", "write a small protocol to start from"),
    "compile": ("protoc_compiler.cli.compile", "write the generated package of a protocol"),
    "seal": ("protoc_compiler.cli.seal", "pin a protocol, its data and its code before anything is run"),
    "run": ("protoc_compiler.cli.run", "run a sealed protocol to its verdict"),
    "score": ("protoc_compiler.cli.score", "apply a protocol's rules to rows that exist already"),
    "freeze": ("protoc_compiler.cli.freeze", "make the manifest that pins a candidate, or check one"),
    "parity": ("protoc_compiler.cli.parity", "compare an optimised runtime with the frozen one, row by row"),
    "adjudicate": ("protoc_compiler.cli.adjudicate", "write the sheets that people fill, and take them back"),
    "verdict": ("protoc_compiler.cli.verdict", "close a run that people have judged"),
    "why": ("protoc_compiler.cli.why", "tell how one case of a run was decided"),
    "verify": ("protoc_compiler.cli.verify", "recompute everything of a run from its bundle"),
    "phases": ("protoc_compiler.cli.phases", "show where a study stands in its phases, and what may be run next"),
    "diff": ("protoc_compiler.cli.diff", "tell what changed between two protocols, and what it lets pass"),
    "runs": ("protoc_compiler.cli.runs", "list what was run"),
    "sign": ("protoc_compiler.cli.sign", "sign a seal or a receipt, or have it time-stamped"),
    "splits": ("protoc_compiler.cli.splits", "show which splits have been read, and double readings"),
}
