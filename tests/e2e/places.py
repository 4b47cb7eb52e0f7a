"""Folders that are full or cannot be written, as the rights of this process allow to make them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


def _mount(*arguments: str) -> bool:
    return os.geteuid() == 0 and subprocess.run(["mount", *arguments], capture_output=True).returncode == 0


@contextmanager
def small_disk(folder: Path, kilobytes: int) -> Iterator[Path]:
    """A file system of its own with so much room; skips the test where none can be mounted."""
    folder.mkdir(parents=True, exist_ok=True)
    if not _mount("-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(folder)):
        pytest.skip("a small file system cannot be mounted here (it needs root)")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@contextmanager
def read_only(folder: Path) -> Iterator[Path]:
    """A folder in which nothing can be written or made: by a mount for root, by its mode for everybody else."""
    if os.geteuid() != 0:
        mode = folder.stat().st_mode
        folder.chmod(0o555)
        try:
            yield folder
        finally:
            folder.chmod(mode)
        return
    if not _mount("--bind", str(folder), str(folder)):
        pytest.skip("root ignores modes, and a read-only mount cannot be made here")
    try:
        assert _mount("-o", "remount,ro,bind", str(folder))
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(folder: Path, leave: int) -> Path:
    """Fill a small disk up to `leave` bytes; the file that does it."""
    ballast = folder / "ballast"
    state = os.statvfs(folder)
    with ballast.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, state.f_bavail * state.f_frsize)
        os.ftruncate(file.fileno(), max(0, state.f_bavail * state.f_frsize - leave))
    return ballast
