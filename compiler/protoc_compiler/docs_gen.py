"""Writes the generated pages of the repository: `python -m protoc_compiler.docs_gen`.

`docs/errors.md` comes from the catalogue, `docs/drift/kinds.md` from the kinds of change,
`docs/schema/spec.schema.json` from the shape of a spec, and `docs/traceability.md` from the
citations in `specs/` and the marks in `tests/`.
"""

from __future__ import annotations

from pathlib import Path

from protoc_compiler.catalogue import all_kinds
from protoc_runtime.diagnostics import Kind
from protoc_runtime.visible import visible

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "errors.md"
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
    "16": "Providers",
    "17": "The target",
    "18": "Adjudication",
    "21": "Freeze manifests and parity",
    "22": "Phases",
    "23": "The life of splits",
    "24": "Signatures and timestamps",
    "25": "Agents, their packets and their cost",
    "26": "Visibility, stages and the review room",
    "28": "Proofs",
    "27": "Drift review",
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
        lines += ["````", *map(visible, _shortened(kind.example).rstrip("\n").split("\n")), "````", ""]
    return "\n".join(lines)


def _shortened(example: str, limit: int = 400) -> str:
    """An example that shows a limit is long by nature; the page shows its beginning."""
    return example if len(example) <= limit else example[:100] + " ..."


def pages() -> dict[Path, str]:
    """Every generated page of this repository by its place."""
    import json

    from protoc_compiler import pipeline, schema_export, traceability
    from protoc_compiler.drift import pages as drift_pages

    protocols = [pipeline.check(path)[0] for path in sorted((ROOT / "specs").glob("*/protocol.yaml"))]
    known = [protocol for protocol in protocols if protocol is not None]
    return {
        PAGE: page(),
        ROOT / "docs" / "schema" / "spec.schema.json": json.dumps(schema_export.spec_schema(), indent=2) + "\n",
        ROOT / "docs" / "drift" / "kinds.md": drift_pages.render(),
        ROOT / "docs" / "traceability.md": traceability.render(known, ROOT / "tests"),
    }


def main() -> None:
    """Write every page to its place."""
    for path, text in pages().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
