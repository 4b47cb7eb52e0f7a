"""The file of a ledger: opening, checking, reading, and mending an end that a crash cut off."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from protoc_runtime.canonical import digest_bytes, sync_folder, write_all
from protoc_runtime.catalogue import ledger as kinds
from protoc_runtime.chain import BrokenLine, Line, Tip, decode, raw_lines
from protoc_runtime.diagnostics import Diagnostic, Findings, Kind, Refused, Span

_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_NO_ACCESS = {
    errno.EACCES,
    errno.EEXIST,
    errno.EISDIR,
    errno.ELOOP,
    errno.ENOENT,
    errno.ENOTDIR,
    errno.EPERM,
    errno.EROFS,
}


def check_chain(path: str | os.PathLike[str]) -> Findings:
    """Whether a ledger holds from its first line to its last; the first fault is named (E1501, E1506, E1507).

    A chain alone does not show that its end was cut off or all of it rewritten: compare head, length and root with
    the receipt (`read_tip`).
    """
    return read_tip(path)[1]


def read_tip(path: str | os.PathLike[str]) -> tuple[Tip, Findings]:
    """The end (length, head, tree) of what holds in a ledger, and its first fault."""
    findings = Findings()
    tip = Tip()
    try:
        torn = _extend(tip, Path(path))
    except _Break as fault:
        findings.extend([fault.diagnostic])
    except OSError as error:
        findings.add(kinds.UNREADABLE, None, path=path, reason=error.strerror)
    else:
        if torn:
            findings.add(kinds.TORN, _line(Path(path), tip.length + 1), bytes=len(torn))
    return tip, findings


def read_events(path: str | os.PathLike[str]) -> Iterator[Line]:
    """The events of a ledger that nobody needs to be writing. Raises `Refused` at the first line that does not hold.

    A cut-off last line is passed over: it was never acknowledged.
    """
    path, tip = Path(path), Tip()
    try:
        for raw in raw_lines(path):
            if not raw.endswith(b"\n"):
                return
            yield _accept(tip, path, raw)
    except _Break as fault:
        raise Refused([fault.diagnostic]) from None
    except OSError as error:
        findings = Findings()
        raise Refused([findings.add(kinds.UNREADABLE, None, path=path, reason=error.strerror)]) from None


class _Break(Exception):
    def __init__(self, path: Path, line: int, reason: str) -> None:
        self.diagnostic = Findings().add(kinds.BROKEN, _line(path, line), line=line, reason=reason)
        super().__init__(reason)


def _accept(tip: Tip, path: Path, raw: bytes) -> Line:
    raw = raw.removesuffix(b"\n")
    try:
        line = decode(raw)
        tip.accept(line, raw)
    except BrokenLine as error:
        raise _Break(path, tip.length + 1, str(error)) from None
    return line


def _extend(tip: Tip, path: Path) -> bytes:
    """Take every whole line; the bytes of a cut-off last line are returned."""
    for raw in raw_lines(path):
        if not raw.endswith(b"\n"):
            return raw
        _accept(tip, path, raw)
    return b""


def scan(path: Path) -> tuple[Tip, bytes]:
    """The end of a ledger that holds, and the bytes of a cut-off last line. Raises `Refused` (E1501), OSError."""
    tip = Tip()
    try:
        return tip, _extend(tip, path)
    except _Break as fault:
        raise Refused([fault.diagnostic]) from None


def mend(descriptor: int, tip: Tip, torn: bytes) -> dict[str, Any] | None:
    """Complete or remove a cut-off last line; what the `recovered` event says of it, or None."""
    if not torn:
        return None
    try:
        line = decode(torn)
        tip.accept(line, torn)
    except BrokenLine:
        size = os.fstat(descriptor).st_size
        os.ftruncate(descriptor, size - len(torn))
        os.fsync(descriptor)
        return {"kept": False, "bytes": len(torn), "sha256": digest_bytes(torn)}
    write_all(descriptor, b"\n")
    os.fsync(descriptor)
    return {"kept": True, "bytes": len(torn), "sha256": line.hash}


def open_locked(path: Path) -> int:
    """Open or create a ledger's file as its only writer. Raises `Refused` (E1502, E1503)."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
    except OSError as error:
        raise Refused([io_fault(path, error)]) from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        sync_folder(path.parent)
    except BlockingIOError:
        os.close(descriptor)
        raise Refused([Findings().add(kinds.BUSY, None, path=path)]) from None
    except OSError as error:
        os.close(descriptor)
        raise Refused([io_fault(path, error)]) from None
    return descriptor


def io_fault(path: Path, error: OSError, more: str = "") -> Diagnostic:
    """What a failure of the system means for the ledger."""
    kind: Kind = kinds.WRITE_FAILED
    if error.errno in _NO_ROOM:
        kind = kinds.DISK_FULL
    elif error.errno in _NO_ACCESS:
        kind = kinds.NOT_WRITABLE
    return Findings().add(kind, None, path=path, reason=f"{error.strerror or error}{more}")


def _line(path: Path, number: int) -> Span:
    return Span(str(path), number, 1, number, 1)
