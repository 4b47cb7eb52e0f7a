"""The folder of sketches beside the registry: one file each, named by its SHA-256, committed with the registry."""

from __future__ import annotations

from pathlib import Path

from protoc_runtime.canonical import digest_bytes, read_plain, write_atomic
from protoc_runtime.sketch import Sketch, from_bytes

FOLDER = "registry"


def folder(registry: Path) -> Path:
    """Where the sketches of a registry are."""
    return registry.with_name(FOLDER)


def keep(registry: Path, data: bytes) -> str:
    """Write a sketch durably, unless it is there; its digest. Raises OSError."""
    digest = digest_bytes(data)
    path = folder(registry) / f"{digest}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        if read_plain(path) == data:
            return digest
    except FileNotFoundError:
        pass
    write_atomic(path, data)
    return digest


class Sketches:
    """The sketches of a registry, each read once."""

    def __init__(self, registry: Path) -> None:
        self._folder = folder(registry)
        self._known: dict[str, Sketch | None] = {}

    def get(self, digest: str) -> Sketch | None:
        """A sketch; None for no digest, and where the file is missing or is not what its name says."""
        if digest and digest not in self._known:
            self._known[digest] = self._read(digest)
        return self._known.get(digest)

    def _read(self, digest: str) -> Sketch | None:
        try:
            data = read_plain(self._folder / f"{digest}.json")
            return from_bytes(data) if digest_bytes(data) == digest else None
        except (OSError, ValueError):
            return None
