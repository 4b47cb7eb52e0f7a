"""Folders that somebody else has filled: measured and removed, whatever lies in them.

A program may nest folders deeper than a path can name, or make them unreadable. Nothing here recurses, and no path is
longer than that of a folder and a name or two in it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path

SMALLEST = 4096  # bytes that a file or folder counts at least, for its name and place
LONGEST = 3000  # bytes of a path that is still looked into


def size(folder: Path, most: int) -> int:
    """The bytes on the disk below a folder, more than `most` where there are more or where it is too deep to tell."""
    total, waiting = 0, [str(folder)]
    while waiting and total <= most:
        path = waiting.pop()
        if len(os.fsencode(path)) > LONGEST:
            return most + 1
        for entry in _entries(path):
            with suppress(OSError):
                total += max(SMALLEST, entry.stat(follow_symlinks=False).st_blocks * 512)
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
    return total


def remove(folder: Path) -> None:
    """Remove a folder and everything in it, also what its owner has made unwritable. What cannot be removed stays."""
    if folder.is_symlink() or folder.is_file():
        folder.unlink()
    if not folder.is_dir():
        return
    os.chmod(folder, 0o700)
    numbers = count()
    below = [entry.path for entry in _entries(str(folder)) if entry.is_dir(follow_symlinks=False)]
    while below:
        path = below.pop()
        with suppress(OSError):
            os.chmod(path, 0o700)
        for entry in [entry for entry in _entries(path) if entry.is_dir(follow_symlinks=False)]:
            with suppress(OSError):
                os.chmod(entry.path, 0o700)  # it has to be writable to be moved
                below.append(_lifted(entry.path, folder, numbers))
        shutil.rmtree(path, ignore_errors=True)
    shutil.rmtree(folder, ignore_errors=True)


def _lifted(path: str, folder: Path, numbers: Iterator[int]) -> str:
    """A folder from within, moved to the top, where no path to it is long; its new path."""
    places = (str(folder / f".gone-{number}") for number in numbers)
    place = next(place for place in places if not os.path.lexists(place))
    os.rename(path, place)
    return place


def _entries(path: str) -> list[os.DirEntry[str]]:
    """What lies in a folder, which is made readable if it has to be; nothing where that cannot be."""
    for _ in range(2):
        try:
            with os.scandir(path) as found:
                return list(found)
        except OSError:
            with suppress(OSError):
                os.chmod(path, 0o700)
    return []
