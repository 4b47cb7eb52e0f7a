"""The file of the registry: hash-chained lines (`registry_lines`) that are read, added under a lock, and merged."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from protoc_runtime.canonical import append_synced, digest_bytes, read_plain
from protoc_runtime.catalogue import registry as kinds
from protoc_runtime.chain import GENESIS, BrokenLine, Line, decode, stamp
from protoc_runtime.diagnostics import Findings, Refused
from protoc_runtime.merging import lines_of_both, marks, refuse_marks
from protoc_runtime.registry_lines import RECOVERED, Branches, parsed, summed
from protoc_runtime.workspace import locked

T = TypeVar("T")


class Draft:
    """The registry under its lock: what it holds, and lines that are written together when the block ends."""

    def __init__(self, branches: Branches) -> None:
        self.branches = branches
        self.written: list[bytes] = []
        self._lines = dict(branches.lines)
        self._ends = list(branches.ends)
        self._at = max((str(line.body.get("at", "")) for line in self._lines.values()), default="")

    def add(self, kind: str, body: Mapping[str, Any]) -> Line:
        """Append a line; `at` (and `wall`, where the clock was set back) is added to the body."""
        parent = self._ends.pop() if self._ends else GENESIS
        seq = self._lines[parent].seq + 1 if parent != GENESIS else 1
        times = stamp(self._at)
        merges = {"merges": sorted(self._ends)} if self._ends else {}
        raw = summed(seq, parent, kind, {**body, **merges, **times})
        line = decode(raw)
        self._lines[line.hash], self._ends, self._at = line, [line.hash], times["at"]
        self.written.append(raw)
        return line


def load(path: Path) -> Branches:
    """What the registry holds; nothing if there is no file. A cut-off last line is passed over.

    Raises `Refused`: E1303 at a line that does not hold, E1312 at marks of a merge conflict, E1310 where the file
    cannot be read.
    """
    try:
        content = read_plain(path)
    except FileNotFoundError:
        content = b""
    except OSError as error:
        raise unusable(path, error) from None
    refuse_marks(path, content)
    return parsed(path, content[: content.rfind(b"\n") + 1])


def told_torn(path: Path, findings: Findings) -> None:
    """Warn (W1314) of a last line that is cut off: `load` passes it over."""
    try:
        content = read_plain(path)
    except OSError:
        return  # `load` has told it, or there is nothing
    torn = len(content) - content.rfind(b"\n") - 1
    if torn:
        findings.add(kinds.TORN, None, path=path, bytes=torn)


def change(path: Path, decide: Callable[[Draft], T]) -> T:
    """Let `decide` read the registry and add lines, while no other process can; the lines are durable on return.

    What `decide` raises leaves the registry as it is. Raises `Refused`: E1303, E1310, E1312.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with locked(path) as descriptor:
            content = read_plain(path)
            refuse_marks(path, content)
            whole = content.rfind(b"\n") + 1
            branches, torn = parsed(path, content[:whole]), content[whole:]
            draft, lost = _mend(path, descriptor, branches, content, torn)
            result = decide(draft)
            _write(descriptor, draft.written, lost)
            return result
    except OSError as error:
        raise unusable(path, error) from None


def merge(path: Path) -> int:
    """Take the marks away and keep the lines of both sides; how many marks there were.

    Raises `Refused`: E1303 where the lines do not hold together (nothing is written then), E1310.
    """
    if not path.exists():
        return 0
    try:
        with locked(path) as descriptor:
            content = read_plain(path)
            found = marks(content)
            if found:
                kept = lines_of_both(content)
                parsed(path, kept)
                os.ftruncate(descriptor, 0)
                append_synced(descriptor, kept)
            return len(found)
    except OSError as error:
        raise unusable(path, error) from None


def unusable(path: Path, error: OSError) -> Refused:
    """What is told (E1310) where the file cannot be read or written."""
    return Refused([Findings().add(kinds.NOT_WRITTEN, None, path=path, reason=error.strerror or error)])


def _mend(path: Path, descriptor: int, branches: Branches, content: bytes, torn: bytes) -> tuple[Draft, int]:
    """Complete a last line that lacks only its newline; else plan to remove the torn bytes and to tell of it."""
    if not torn:
        return Draft(branches), 0
    try:
        decode(torn)
    except BrokenLine:
        draft = Draft(branches)
        draft.add(RECOVERED, {"bytes": len(torn), "sha256": digest_bytes(torn)})
        return draft, len(torn)
    completed = parsed(path, content + b"\n")
    append_synced(descriptor, b"\n")
    return Draft(completed), 0


def _write(descriptor: int, lines: Iterable[bytes], lost: int) -> None:
    data = b"".join(line + b"\n" for line in lines)
    if not data:
        return
    size = os.fstat(descriptor).st_size - lost
    os.ftruncate(descriptor, size)
    try:
        append_synced(descriptor, data)
    except OSError:
        os.ftruncate(descriptor, size)
        raise
