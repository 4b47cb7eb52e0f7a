"""Writes `docs/errors.md` from the catalogue: `python -m protoc_compiler.docs_gen [FILE]`."""

from __future__ import annotations

import sys
from pathlib import Path

from protoc_compiler.catalogue import all_kinds
from protoc_compiler.render.text import printable
from protoc_runtime.diagnostics import Kind

PAGE = Path(__file__).parents[2] / "docs" / "errors.md"
AREAS = {
    "01": "Reading the file",
    "02": "The document",
    "03": "Names",
    "04": "Reading formulas",
    "05": "Types",
    "06": "Undefined values",
    "07": "Words against formulas",
    "08": "Analysis",
    "09": "The generated package",
    "10": "Rows",
    "11": "The seal",
    "12": "Runs and subjects",
    "13": "The registry",
    "14": "Bundles and verification",
    "15": "The ledger",
}
_HEAD = """# Diagnostics

Every diagnostic has a stable id. `E` is an error: it stops compile, seal and run, and makes `protoc check` exit 1. `W`
is a warning, which counts with `--strict`. `N` is a note. This page is made from the catalogue by
`python -m protoc_compiler.docs_gen`.
"""


def page() -> str:
    """The whole page; the same for the same catalogue."""
    kinds = all_kinds()
    parts = [_HEAD]
    for area, title in AREAS.items():
        inside = [kind for kind in kinds if kind.id[1:3] == area]
        if inside:
            parts.append(f"\n## {title}\n")
            parts += [_entry(kind) for kind in inside]
    return "".join(parts)


def _entry(kind: Kind) -> str:
    lines = ["", f"### {kind.id} {kind.name}", "", kind.why, ""]
    lines += [f"*Message:* {kind.message}", ""]
    if kind.hint:
        lines += [f"*Hint:* {kind.hint}", ""]
    if kind.example.strip():
        lines += ["````", *map(printable, _shortened(kind.example).rstrip("\n").split("\n")), "````", ""]
    return "\n".join(lines)


def _shortened(example: str, limit: int = 400) -> str:
    """An example that shows a limit is long by nature; the page shows its beginning."""
    return example if len(example) <= limit else example[:100] + " ..."


def main(arguments: list[str]) -> None:
    """Write the page to the named file, or to its place in the repository."""
    target = Path(arguments[0]) if arguments else PAGE
    target.write_text(page(), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
