"""Whether files stayed what they were while they were used: between the digest that counts and the last look at them.

A digest is taken before the rows are read, so a file that is written to in between would be read as something that
nobody pinned. The system's own marks of a file (size and times of change) tell that without reading it again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from protoc_runtime.canonical import digest_file
from protoc_runtime.catalogue import run as kinds
from protoc_runtime.diagnostics import Findings, Refused
from protoc_runtime.seal_format import Pinned

Marks = Mapping[Path, tuple[int, ...]]


def marks(paths: Iterable[Path]) -> Marks:
    """Device, inode, size and times of change of each file that is there; a file that is not has none."""
    return {path: _mark(path) for path in paths}


def require_untouched(before: Marks) -> None:
    """Refuse (E1215) if any of the files was written to, replaced or removed since its marks were taken."""
    _refuse(path for path, mark in before.items() if _mark(path) != mark)


def require_pinned(pins: Iterable[Pinned], folder: Path) -> None:
    """Refuse (E1215) if any of the files no longer has the bytes that were pinned."""
    _refuse(folder / pin.path for pin in pins if _digest(folder / pin.path) != pin.sha256)


def _refuse(changed: Iterable[Path]) -> None:
    findings = Findings()
    for path in changed:
        findings.add(kinds.CHANGED, None, path=path)
    if findings.failed:
        raise Refused(findings)


def _mark(path: Path) -> tuple[int, ...]:
    try:
        found = path.stat()
    except OSError:
        return ()
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _digest(path: Path) -> str:
    try:
        return digest_file(path)
    except OSError:
        return ""
