"""The objects of a git repository, each compared with the hash that names it: what is read is what was pinned.

Git trusts the files of its own store. A repository that comes from elsewhere may hold a file under another object's
name, so every commit, tree and blob is hashed here once more, in one `git cat-file --batch` that is asked for all.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType

from protoc_runtime.git import safe_command, safe_environment
from protoc_runtime.record import record

SECONDS = 600.0  # for everything that is read from a repository
LARGEST_TREE = 64 * 1024 * 1024
DEEPEST = 200
LINK, SUBMODULE = "120000", "160000"
FOLDER, PLAIN, PROGRAM = "40000", "100644", "100755"
_MODES = {mode: mode for mode in (FOLDER, PLAIN, PROGRAM, LINK, SUBMODULE)} | {"100664": PLAIN}
_BLOCK = 1 << 20


class ObjectFault(Exception):
    """An object is lacking, damaged or hostile; `missing` tells the first of these."""

    def __init__(self, words: str, *, missing: bool = False) -> None:
        self.missing = missing
        super().__init__(words)


@record
class Entry:
    """A file of a commit: its path, its mode (`100644`, `100755`, a link, a submodule) and its object id."""

    path: str
    mode: str
    id: str


class Objects:
    """Reads objects; one process for all of them, ended with the block."""

    def __init__(self, folder: Path, algorithm: str) -> None:
        self._algorithm = algorithm
        self._process = subprocess.Popen(  # noqa: S603 - a fixed command
            safe_command("cat-file", "--batch"),
            cwd=folder,
            env=safe_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._watch = threading.Timer(SECONDS, self._process.kill)
        self._watch.daemon = True
        self._watch.start()

    def __enter__(self) -> Objects:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._watch.cancel()
        self._process.kill()
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            try:
                stream.close()
            except BrokenPipeError:
                continue
        self._process.wait()

    def files(self, commit: str) -> list[Entry]:
        """Every file of a commit, by path."""
        body = self._whole(commit, "commit")
        first = body.split(b"\n", 1)[0].split(b" ")
        if len(first) != 2 or first[0] != b"tree":
            raise ObjectFault(f"the object {commit} is no commit")
        return sorted(self._below(first[1].decode("ascii", "replace"), "", 0), key=lambda entry: entry.path)

    def blob(self, entry: Entry, sink: Callable[[bytes], object]) -> None:
        """Give the bytes of a file to `sink`, part by part; only the last part proves that they are right."""
        self._read(entry.id, "blob", sink, None)

    def _below(self, tree: str, prefix: str, depth: int) -> Iterator[Entry]:
        if depth > DEEPEST:
            raise ObjectFault(f"its folders are nested deeper than {DEEPEST}")
        seen = set()
        for mode, name, digest in self._tree(tree):
            if name in ("", ".", "..") or "/" in name or name.casefold() == ".git" or name in seen:
                raise ObjectFault(f"it has an entry {prefix + name!r}, which no worktree can have")
            seen.add(name)
            if mode == FOLDER:
                yield from self._below(digest, f"{prefix}{name}/", depth + 1)
            else:
                yield Entry(prefix + name, mode, digest)

    def _tree(self, tree: str) -> Iterator[tuple[str, str, str]]:
        body, size = self._whole(tree, "tree"), hashlib.new(self._algorithm).digest_size
        at = 0
        while at < len(body):
            space, end = body.find(b" ", at), body.find(b"\0", at)
            if not at < space < end or end + 1 + size > len(body):
                raise ObjectFault(f"the object {tree} is no tree")
            mode = _MODES.get(body[at:space].decode("ascii", "replace").lstrip("0"))
            if mode is None:
                raise ObjectFault(f"the object {tree} has an entry of an unknown kind")
            yield mode, _text(body[space + 1 : end]), body[end + 1 : end + 1 + size].hex()
            at = end + 1 + size

    def _whole(self, digest: str, kind: str) -> bytes:
        parts: list[bytes] = []
        self._read(digest, kind, parts.append, LARGEST_TREE)
        return b"".join(parts)

    def _read(self, digest: str, kind: str, sink: Callable[[bytes], object], most: int | None) -> None:
        size = self._ask(digest, kind)
        if most is not None and size > most:
            raise ObjectFault(f"the object {digest} has {size} bytes")
        hashed = hashlib.new(self._algorithm, f"{kind} {size}\0".encode(), usedforsecurity=False)
        assert self._process.stdout is not None
        left = size
        while left:
            part = self._process.stdout.read(min(left, _BLOCK))
            if not part:
                raise ObjectFault(f"the object {digest} cannot be read")
            hashed.update(part)
            sink(part)
            left -= len(part)
        if hashed.hexdigest() != digest:
            raise ObjectFault(f"the object {digest} holds something else than its name says")
        self._process.stdout.read(1)

    def _ask(self, digest: str, kind: str) -> int:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(digest.encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise ObjectFault(f"git ended before it gave the object {digest}") from None
        words = self._process.stdout.readline(1000).split()
        if not words:  # git ends where an object of a partial clone would have to be fetched
            raise ObjectFault(f"the {kind} {digest} is lacking: git ended when it was asked for it", missing=True)
        if len(words) == 2 and words[1] == b"missing":
            raise ObjectFault(f"the {kind} {digest} is lacking", missing=True)
        if len(words) != 3 or words[1] != kind.encode() or not words[2].isdigit():
            raise ObjectFault(f"the object {digest} cannot be read as a {kind}")
        return int(words[2])


def _text(name: bytes) -> str:
    return os.fsdecode(name)
