"""A detached git worktree that holds a commit as its objects are, and whether it still does.

git makes the worktree without checking anything out; the files are written here from verified objects, so no filter,
attribute or hook of the repository runs. Whether the worktree is clean is decided by the bytes, kinds and modes of
everything that lies in it: neither the index nor ignore rules have a say.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from protoc_runtime.git_objects import FOLDER, LINK, PLAIN, PROGRAM, SUBMODULE, Entry, Objects
from protoc_runtime.record import record

LFS = b"version https://git-lfs.github.com/spec/"
SHOWN = 20  # paths that are named where a worktree is not clean
_BLOCK = 1 << 20
Found = dict[str, tuple[str, str]]  # mode and object id by path


@record
class LaidOut:
    """What was written: of each file the SHA-256 of its bytes, their sum, and what was left out."""

    sha256: dict[str, str]
    bytes: int
    submodules: int
    large: int


def lay_out(folder: Path, entries: list[Entry], objects: Objects) -> LaidOut:
    """Write the files of a commit into the folder of a new worktree. Raises `ObjectFault` and OSError."""
    digests: dict[str, str] = {}
    size = submodules = large = 0
    for entry in entries:
        path = folder / entry.path
        if entry.mode == SUBMODULE:
            path.mkdir(parents=True)
            submodules += 1
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        written = _File(entry, path)
        try:
            objects.blob(entry, written.take)
        finally:
            written.close()
        digests[entry.path] = written.sha256.hexdigest()
        size += written.size
        large += written.start.startswith(LFS)
    return LaidOut(digests, size, submodules, large)


class _File:
    """One file that is being written. A link is made when it is closed, so that nothing is written through it."""

    def __init__(self, entry: Entry, path: Path) -> None:
        self.sha256, self.size, self.start = hashlib.sha256(), 0, b""
        self._path, self._link = path, entry.mode == LINK
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        mode = 0o755 if entry.mode == PROGRAM else 0o644
        self._descriptor = -1 if self._link else os.open(path, flags, mode)

    def take(self, part: bytes) -> None:
        """Write a part of the content; of a link its target is collected. Raises OSError."""
        self.sha256.update(part)
        self.size += len(part)
        if self._link or len(self.start) < len(LFS):
            self.start += part if self._link else part[: len(LFS)]
        while part and not self._link:
            part = part[os.write(self._descriptor, part) :]

    def close(self) -> None:
        """End the file; a link is made only now that its whole target is known. Raises OSError."""
        if self._link:
            os.symlink(os.fsdecode(self.start), self._path)
        else:
            os.close(self._descriptor)


def differences(folder: Path, entries: list[Entry], algorithm: str) -> list[str]:
    """Every path whose file is not that of the commit, is lacking, or is not of the commit; sorted."""
    due = {entry.path: (entry.mode, entry.id) for entry in entries if entry.mode != SUBMODULE}
    submodules = {entry.path for entry in entries if entry.mode == SUBMODULE}
    found = dict(_found(folder, "", algorithm))
    paths = {path for path in {*due, *found} if due.get(path) != found.get(path)}
    gone = {path for path in submodules if not (folder / path).is_dir() or (folder / path).is_symlink()}
    return sorted(paths | gone)


def _found(folder: Path, prefix: str, algorithm: str) -> Iterator[tuple[str, tuple[str, str]]]:
    """Mode and object id of everything below a folder but the worktree's own `.git`."""
    with os.scandir(folder) as listed:
        entries = sorted(listed, key=lambda entry: entry.name)
    for entry in entries:
        path = prefix + entry.name
        if path == ".git":
            continue
        if entry.is_dir(follow_symlinks=False):
            try:
                yield from _found(Path(entry.path), f"{path}/", algorithm)
            except PermissionError:
                yield path, (FOLDER, "it cannot be read")
        else:
            yield path, _kind(Path(entry.path), algorithm)


def _kind(path: Path, algorithm: str) -> tuple[str, str]:
    try:
        about = os.lstat(path)
        if stat.S_ISLNK(about.st_mode):
            target = os.fsencode(os.readlink(path))
            return LINK, hashlib.new(algorithm, b"blob %d\0" % len(target) + target, usedforsecurity=False).hexdigest()
        if not stat.S_ISREG(about.st_mode):
            return "", "it is no plain file"
        return (PROGRAM if about.st_mode & stat.S_IXUSR else PLAIN), _hashed(path, about.st_size, algorithm)
    except OSError:
        return "", "it cannot be read"


def _hashed(path: Path, size: int, algorithm: str) -> str:
    hashed = hashlib.new(algorithm, b"blob %d\0" % size, usedforsecurity=False)
    with open(path, "rb", buffering=0) as file:
        while block := file.read(_BLOCK):
            hashed.update(block)
    return hashed.hexdigest()
