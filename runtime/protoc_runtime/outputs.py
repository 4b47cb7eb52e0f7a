"""Files of a bundle under the names that a protocol asks for: copies of what the bundle has under its own names."""

from __future__ import annotations

from pathlib import Path

from protoc_runtime import bundle
from protoc_runtime.canonical import read_plain
from protoc_runtime.copied import copies
from protoc_runtime.declared import Declared

WORKSHEET = "MANUAL_ADJUDICATION.md"
_LATE = ("receipt", "manifest")  # made after the manifest, which therefore cannot list them


def adjudication_name(declared: Declared) -> str:
    """The name of the worksheet."""
    return next((output.path for output in declared.outputs if output.kind == "adjudication"), WORKSHEET)


def outside(declared: Declared) -> frozenset[str]:
    """What the manifest of a stage does not list: itself, the receipt, and copies of these."""
    late = {output.path for output in declared.outputs if output.kind in _LATE}
    return bundle.OUTSIDE | late


def copy_early(declared: Declared, folder: Path) -> None:
    """Copy what stands before the manifest is written."""
    _copy(declared, folder, late=False)


def copy_late(declared: Declared, folder: Path) -> None:
    """Copy the receipt's page and the manifest, once they are written."""
    _copy(declared, folder, late=True)


def _copy(declared: Declared, folder: Path, *, late: bool) -> None:
    left = outside(declared)
    chosen = {path: source for path, source in copies(declared.outputs).items() if (path in left) is late}
    there = {path: source for path, source in chosen.items() if (folder / source).is_file()}
    bundle.put(folder, {path: read_plain(folder / source) for path, source in there.items()})


def copy_faults(declared: Declared, folder: Path) -> list[tuple[str, str]]:
    """Copies that are not what they are copies of, each with its source."""
    made = []
    for path, source in copies(declared.outputs).items():
        if (folder / source).is_file():
            same = (folder / path).is_file() and read_plain(folder / path) == read_plain(folder / source)
            made += [] if same else [(path, source)]
    return made
