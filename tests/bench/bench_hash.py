"""Hashing a sealed input of 2 GiB against `hashlib.file_digest`."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from common import Figure, Size, alternating, scratch, show

from protoc_runtime.canonical import digest_file

BYTES = 2 << 30


def run(size: Size) -> list[Figure]:
    """The same file, warm, by the function that pins the files of a seal and by the standard library."""
    path = made(size.of(BYTES))
    found = alternating({"ours": lambda: digest_file(path), "plain": lambda: plain(path)}, min(size.rounds, 5))
    gigabytes = path.stat().st_size / 1e9
    return [
        Figure(
            "hash", f"{path.stat().st_size >> 20} MiB, in the page cache", f"{gigabytes / found['ours']:.2f} GB/s",
            f"hashlib.file_digest {gigabytes / found['plain']:.2f} GB/s", found["plain"] / found["ours"], 0.8, True,
        )
    ]  # fmt: skip


def plain(path: Path) -> str:
    """The standard library's way."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def made(count: int) -> Path:
    """A file of random bytes."""
    path = scratch() / "input.bin"
    block = os.urandom(1 << 20)
    with path.open("wb") as file:
        for _ in range(max(1, count >> 20)):
            file.write(block)
    return path


if __name__ == "__main__":
    show(run)
