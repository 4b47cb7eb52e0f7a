"""Sealing: appending to the chain of seals beside a protocol, and reading it. The line itself is in `seal_format`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from protoc_runtime.canonical import append_synced, digest_bytes, read_plain
from protoc_runtime.catalogue import seal as kinds
from protoc_runtime.chain import GENESIS, stamp
from protoc_runtime.diagnostics import Diagnostic, Findings, Refused, Span
from protoc_runtime.record import replace
from protoc_runtime.seal_compare import compare
from protoc_runtime.seal_format import Pins, Seal, from_bytes, to_bytes
from protoc_runtime.workspace import locked

__all__ = ["FILE_NAME", "Pins", "Seal", "append_seal", "compare", "load_seals", "make_seal"]

FILE_NAME = "seal.jsonl"


def make_seal(
    pins: Pins,
    previous: Seal | None,
    *,
    commit: str | None = None,
    clean: bool | None = None,
    reason: str | None = None,
    drift: Mapping[str, Any] | None = None,
) -> Seal:
    """The next seal of a chain, stamped with the present time."""
    times = stamp(previous.time if previous else "")
    before = previous.digest if previous else GENESIS
    seal = Seal(pins, times["at"], times.get("wall"), commit, clean, reason, before, "", drift)
    return replace(seal, digest=digest_bytes(to_bytes(seal)))


def append_seal(
    path: Path,
    pins: Pins,
    *,
    commit: str | None = None,
    clean: bool | None = None,
    reason: str | None = None,
    drift: Mapping[str, Any] | None = None,
) -> tuple[Seal, bool]:
    """Seal what has changed; the seal that now holds, and whether it is new.

    The unchanged is not sealed again, except with a reason where git now holds everything and did not before. Raises
    `Refused`: E1101 for a change without a reason, E1103 for a broken chain, E1115 if it cannot be written (then the
    file is as it was).
    """
    try:
        with locked(path) as descriptor:
            seals = load_seals(path)
            last = seals[-1] if seals else None
            if last is not None:
                changes = compare(last.pins, pins)
                given = bool(reason and reason.strip())
                if not changes.failed and not (given and clean and not last.clean):
                    return last, False
                if not given:
                    raise Refused([_needs_reason(last, changes)])
            told = drift if last is not None and last.pins.spec != pins.spec else None
            seal = make_seal(pins, last, commit=commit, clean=clean, reason=reason, drift=told)
            _append(descriptor, path, to_bytes(seal) + b"\n")
            return seal, True
    except OSError as error:
        raise Refused([Findings().add(kinds.CANNOT_WRITE, None, path=path, reason=error.strerror or error)]) from None


def load_seals(path: Path) -> tuple[Seal, ...]:
    """Every seal, oldest first; none if there is no file.

    A last line that a crash cut off was never acknowledged, and is passed over. Raises `Refused` (E1103) if the chain
    does not hold.
    """
    try:
        content = read_plain(path)
    except FileNotFoundError:
        return ()
    content = content[: len(content) - len(_torn(content))]
    seals: list[Seal] = []
    for number, raw in enumerate(content.removesuffix(b"\n").split(b"\n") if content else [], 1):
        try:
            seal = from_bytes(raw.removesuffix(b"\r"))
            expected = seals[-1].digest if seals else GENESIS
            if seal.previous != expected:
                raise ValueError(f"it follows {seal.previous[:12]}, but the line before has the digest {expected[:12]}")
        except ValueError as error:
            place = Span(str(path), number, 1, number, 2)
            raise Refused([Findings().add(kinds.BROKEN, place, line=number, path=path, reason=error)]) from None
        seals.append(seal)
    return tuple(seals)


def _torn(content: bytes) -> bytes:
    """The bytes of a last line that was cut off; nothing where only its newline is missing."""
    last = content[content.rfind(b"\n") + 1 :]
    try:
        from_bytes(last)
    except ValueError:
        return last
    return b""


def _append(descriptor: int, path: Path, line: bytes) -> None:
    """Add a line, in the place of one that was cut off; a failure leaves what held before."""
    content = read_plain(path)
    size = len(content) - len(_torn(content))
    os.ftruncate(descriptor, size)
    separator = b"" if content[:size].endswith(b"\n") or not size else b"\n"
    try:
        append_synced(descriptor, separator + line)
    except OSError:
        os.ftruncate(descriptor, size)
        raise


def _needs_reason(last: Seal, changes: Findings) -> Diagnostic:
    told = "; ".join(item.message for item in changes if item.severity == "error")
    return Findings().add(kinds.NEEDS_REASON, None, time=last.time, changes=told)
