"""Hash-chained lines: the format that ledgers and registries share.

A line is the RFC 8785 form of `{"body": {...}, "kind": text, "prev": digest, "seq": n, "v": 1}`; its hash is the
SHA-256 of its bytes without the newline; the first line's `prev` is 64 zeros. The Merkle root is that of RFC 6962
(leaf = SHA-256 of 0x00 and the line, node = SHA-256 of 0x01 and both children).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from protoc_runtime.canonical import NotCanonical, digest_bytes, dumps, loads, open_plain
from protoc_runtime.record import record

GENESIS = "0" * 64
VERSION = 1
_DIGEST = re.compile(r"[0-9a-f]{64}")


@record
class Line:
    """One event of a chain; `seq` counts from 1, `hash` is the digest of the line itself."""

    seq: int
    prev: str
    kind: str
    body: Mapping[str, Any]
    hash: str


class BrokenLine(ValueError):
    """A line that is no event, or does not continue the chain; the text says why."""


def encode(seq: int, prev: str, kind: str, body: Mapping[str, Any]) -> bytes:
    """The bytes of a line, without its newline. Raises ValueError where `body` has no canonical form."""
    return dumps({"v": VERSION, "seq": seq, "prev": prev, "kind": kind, "body": dict(body)})


def decode(raw: bytes) -> Line:
    """The event of one line without its newline. Raises `BrokenLine`."""
    try:
        value = loads(raw)
    except NotCanonical as error:
        raise BrokenLine(str(error)) from None
    if not isinstance(value, dict) or set(value) != {"v", "seq", "prev", "kind", "body"}:
        raise BrokenLine("an event has exactly the keys v, seq, prev, kind, body")
    if value["v"] != VERSION or type(value["v"]) is not int:
        raise BrokenLine(f"format version {value['v']!r} instead of {VERSION}")
    typed = type(value["seq"]) is int and isinstance(value["kind"], str) and isinstance(value["body"], dict)
    if not typed or not isinstance(value["prev"], str) or not _DIGEST.fullmatch(value["prev"]):
        raise BrokenLine("seq is not an integer, kind not a text, body not an object, or prev not a digest")
    return Line(value["seq"], value["prev"], value["kind"], value["body"], digest_bytes(raw))


class Merkle:
    """A growing RFC 6962 tree that keeps only the roots of its complete subtrees."""

    def __init__(self, peaks: tuple[tuple[int, bytes], ...] = ()) -> None:
        self._peaks = list(peaks)

    def add(self, leaf: bytes) -> None:
        """Append one leaf."""
        level, node = 0, hashlib.sha256(b"\x00" + leaf).digest()
        while self._peaks and self._peaks[-1][0] == level:
            level, node = level + 1, hashlib.sha256(b"\x01" + self._peaks.pop()[1] + node).digest()
        self._peaks.append((level, node))

    def copy(self) -> Merkle:
        """An independent tree of the same leaves."""
        return Merkle(tuple(self._peaks))

    def root(self) -> str:
        """The root in hex; of no leaves the SHA-256 of nothing."""
        if not self._peaks:
            return digest_bytes(b"")
        node = self._peaks[-1][1]
        for _, left in reversed(self._peaks[:-1]):
            node = hashlib.sha256(b"\x01" + left + node).digest()
        return node.hex()


class Tip:
    """The end of a linear chain: what the next line must continue."""

    def __init__(self) -> None:
        self.length, self.head, self.at, self.tree = 0, GENESIS, "", Merkle()

    def accept(self, line: Line, raw: bytes) -> None:
        """Take a line as the next one. Raises `BrokenLine` if it is not."""
        if line.seq != self.length + 1:
            raise BrokenLine(f"seq is {line.seq}, expected {self.length + 1}")
        if line.prev != self.head:
            raise BrokenLine(f"it continues {line.prev[:12]}, but the line before has the digest {self.head[:12]}")
        self.advance(line.hash, raw, str(line.body.get("at", "")))

    def advance(self, hash_of_line: str, raw: bytes, at: str) -> None:
        """Move behind a line that is known to continue the chain."""
        self.length, self.head, self.at = self.length + 1, hash_of_line, max(self.at, at)
        self.tree.add(raw)

    def copy(self) -> Tip:
        """A snapshot."""
        made = Tip()
        made.length, made.head, made.at, made.tree = self.length, self.head, self.at, self.tree.copy()
        return made


def stamp(not_before: str) -> dict[str, str]:
    """The time fields of an event: `at` never goes back; `wall` is the clock where it does, and absent else.

    `not_before` is the `at` of the event before. Times are UTC in ISO form with six decimals.
    """
    wall = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    return {"at": wall} if wall >= not_before else {"at": not_before, "wall": wall}


def raw_lines(path: Path) -> Iterator[bytes]:
    """The lines of a file with their newlines; the last one may lack it (a torn write)."""
    with open_plain(path) as file:
        yield from file
