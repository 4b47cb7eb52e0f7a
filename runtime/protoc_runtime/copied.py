"""Which names that a protocol asks for are copies of other files of a bundle: told without what reads and writes
bundles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from protoc_runtime.procedure import Output

SOURCES: Mapping[str, str] = {  # by the kind of an output the name that a bundle has for it
    "receipt": "RECEIPT.md",
    "summary": "summary.json",
    "cases": "cases.jsonl",
    "manifest": "manifest.json",
}


def copies(outputs: Iterable[Output]) -> dict[str, str]:
    """The asked names, each with the file of the same stage that it is a copy of."""
    named = {output.path: SOURCES[output.kind] for output in outputs if output.kind in SOURCES}
    return {path: source for path, source in named.items() if path != source}
