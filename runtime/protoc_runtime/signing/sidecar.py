"""`signatures.jsonl`: one piece of evidence a line, each for one seal or receipt, which it names by its SHA-256."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from protoc_runtime.canonical import NotCanonical, digest_bytes, dumps, loads, read_plain, write_atomic
from protoc_runtime.catalogue import signing as kinds
from protoc_runtime.diagnostics import Findings
from protoc_runtime.record import record

FILE = "signatures.jsonl"
DSSE, SSH, TIMESTAMP = "dsse", "ssh", "rfc3161"
_PARTS = {DSSE: ("envelope", dict), SSH: ("signature", str), TIMESTAMP: ("response", str)}


@record
class Piece:
    """One line: its kind, the digest of what it speaks of, the envelope, signature or answer, and the line's digest."""

    number: int
    kind: str
    of: str
    value: Any
    digest: str

    def answer(self) -> bytes:
        """The bytes of an authority's answer. Raises ValueError."""
        return base64.b64decode(self.value, validate=True)


def add(folder: Path, kind: str, data: bytes, value: Mapping[str, Any] | str | bytes) -> None:
    """Add evidence for some data. Raises OSError."""
    path = folder / FILE
    if isinstance(value, bytes):
        value = base64.b64encode(value).decode("ascii")
    line = dumps({"v": 1, "kind": kind, "of": digest_bytes(data), _PARTS[kind][0]: value}) + b"\n"
    before = read_plain(path) if path.is_file() else b""
    write_atomic(path, before + (b"" if not before or before.endswith(b"\n") else b"\n") + line)


def pieces(folder: Path, what: str, findings: Findings) -> tuple[Piece, ...]:
    """Every line of the file; those that cannot be read go to `findings` (E2404). `what` they are to speak of."""
    path = folder / FILE
    if not path.is_file():
        return ()
    made = []
    for number, line in enumerate(read_plain(path).split(b"\n"), 1):
        if not line.strip():
            continue
        found = _piece(number, line.removesuffix(b"\r"))
        if isinstance(found, str):
            findings.add(kinds.BROKEN, None, line=number, path=path, what=what, reason=found)
        else:
            made.append(found)
    return tuple(made)


def _piece(number: int, line: bytes) -> Piece | str:
    """The piece of a line, or why it is none."""
    try:
        given = loads(line)
        kind = given["kind"]
        name, shape = _PARTS[kind]
        if set(given) != {"v", "kind", "of", name} or given["v"] != 1 or not isinstance(given[name], shape):
            return "its fields are not those of its kind"
        return Piece(number, kind, str(given["of"]), given[name], digest_bytes(line))
    except (NotCanonical, KeyError, TypeError) as fault:
        return f"{type(fault).__name__}: {fault}"
