"""Where things are: the folder that holds specs, generated packages, runs and the registry of spent splits."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from protoc_runtime.record import record

MARKER = "protoc.toml"


def real(path: str | os.PathLike[str]) -> Path:
    """Where a path leads to, links followed as far as they go: `Path.resolve` raises where they go in a circle."""
    return Path(os.path.realpath(path))


@record
class Workspace:
    """A workspace; its folders need not exist yet."""

    root: Path

    @property
    def specs(self) -> Path:
        """One folder per protocol: `protocol.yaml`, its sealed inputs, its subject, `seal.jsonl`."""
        return self.root / "specs"

    @property
    def generated(self) -> Path:
        """The generated packages."""
        return self.root / "generated"

    @property
    def runs(self) -> Path:
        """The bundles of runs, in `<package>/<time>_<seal>/`."""
        return self.root / "runs"

    @property
    def registry(self) -> Path:
        """The registry of split readings."""
        return self.root / "registry.jsonl"

    def shown(self, path: Path) -> str:
        """A path as people read it: relative to the workspace where it lies inside, with `/`."""
        try:
            return real(path).relative_to(self.root).as_posix()
        except ValueError:
            return str(path)


def find_workspace(
    start: str | os.PathLike[str] | None = None, override: str | os.PathLike[str] | None = None
) -> Workspace:
    """`override` (of `--workspace`), else the nearest parent of `start` (a file or folder, by default the current
    folder) with `protoc.toml`, else the top level of its git repository, else the current folder."""
    if override is not None:
        return Workspace(real(override))
    here = real(start if start is not None else os.curdir)
    folders = [here, *here.parents] if here.is_dir() else list(here.parents)
    for folder in folders:
        if (folder / MARKER).is_file():
            return Workspace(folder)
    for folder in folders:
        if (folder / ".git").exists():  # a folder, or a file in worktrees and submodules
            return Workspace(folder)
    return Workspace(Path.cwd())


@contextmanager
def locked(path: Path, *, shared: bool = False) -> Iterator[int]:
    """Hold the system's lock on a file, waiting for it, and give its descriptor (for reading and appending).

    The file is created if need be. If another process replaced it in the meantime (git does), the new one is locked.
    The lock ends with the block, or with the process. Raises OSError.
    """
    import fcntl

    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
            if _is_still(path, descriptor):
                yield descriptor
                return
        finally:
            fcntl.flock(descriptor, fcntl.LOCK_UN)  # closing is not enough where a forked child has it open too
            os.close(descriptor)


def _is_still(path: Path, descriptor: int) -> bool:
    held = os.fstat(descriptor)
    try:
        present = os.stat(path)
    except FileNotFoundError:
        return False
    return (held.st_dev, held.st_ino) == (present.st_dev, present.st_ino)
