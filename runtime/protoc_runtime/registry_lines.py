"""The lines of a registry: what each kind of event holds, and whether lines hold together.

A line continues the line that it names; after a merge of two clones (git's union merge) several lines are ends. The
next line that is written continues one of them and names the others under `merges`, so that no branch can be dropped
unseen. The order of lines in the file does not matter, a repeated line counts once.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from protoc_runtime.canonical import digest_bytes
from protoc_runtime.catalogue import registry as kinds
from protoc_runtime.chain import GENESIS, BrokenLine, Line, decode, encode
from protoc_runtime.diagnostics import Findings, Refused, Span
from protoc_runtime.record import record

RECOVERED = "recovered"
SUM = "sum"
_SHAPES: dict[str, dict[str, type]] = {
    "intent": {
        "protocol": str,
        "version": int,
        "split": str,
        "role": str,
        "may": list,
        "use": str,
        "run": str,
        "rows": int,
        "content": str,
        "ids": str,
    },
    "closed": {"intent": str, "run": str, "verdict": str, "receipt": str},
    "decided": {"run": str, "verdict": str, "receipt": str},  # the end of a later stage, where people judged
    "void": {"intent": str, "run": str, "reason": str, "evidence": dict},
    "role": {"protocol": str, "version": int, "split": str, "content": str, "from": str, "to": str},
    "consumed": {
        "protocol": str,
        "version": int,
        "split": str,
        "role": str,
        "rows": int,
        "content": str,
        "ids": str,
    },  # rows that a protocol declares to be spent elsewhere
    # what a phase asks of people, and who has done it
    "duty": {"protocol": str, "version": int, "phase": str, "run": str, "duty": str, "person": str},
    # a report of parity that was written: its digest and verdict, and the protocol by which was compared
    "parity": {"protocol": str, "version": int, "spec": str, "report": str, "verdict": str},
    RECOVERED: {"bytes": int, "sha256": str},
}
_OPTIONAL = ("sketch", "seal", "candidate", "phase", "spec")  # of intents, where there is something to say


@record
class Branches:
    """Every line by its hash, in file order, and the hashes of the lines that none continues."""

    lines: Mapping[str, Line]
    ends: tuple[str, ...]


def summed(seq: int, parent: str, kind: str, body: Mapping[str, Any]) -> bytes:
    """A line with a sum of its own: the last one is continued by none that would show a change made by hand."""
    return encode(seq, parent, kind, {**body, SUM: _sum(seq, parent, kind, body)})


def _sum(seq: int, parent: str, kind: str, body: Mapping[str, Any]) -> str:
    return digest_bytes(encode(seq, parent, kind, body))[:16]


def parsed(path: Path, content: bytes) -> Branches:
    """What whole lines hold. Raises `Refused` (E1303)."""
    lines: dict[str, Line] = {}
    places: dict[str, int] = {}
    for number, raw in enumerate(content.split(b"\n")[:-1], 1):
        try:
            line = decode(raw.removesuffix(b"\r"))
        except BrokenLine as error:
            raise _broken(path, number, str(error)) from None
        lines.setdefault(line.hash, line)
        places.setdefault(line.hash, number)
    continued: set[str] = set()
    for line in lines.values():
        reason = _fault(line, lines)
        if reason:
            raise _broken(path, places[line.hash], reason)
        continued |= {line.prev, *line.body.get("merges", ())}
    return Branches(lines, tuple(name for name in lines if name not in continued))


def _fault(line: Line, lines: Mapping[str, Line]) -> str:
    """What is wrong with a line in its tree; empty if it holds."""
    shape = _SHAPES.get(line.kind)
    if shape is None:
        return f"{line.kind!r} is no kind of event"
    for name, kind in {**shape, "at": str}.items():
        if type(line.body.get(name)) is not kind:
            return f"{name} is lacking, or of another type than {kind.__name__}"
    if not all(isinstance(line.body.get(name, ""), str) for name in _OPTIONAL):
        return f"one of {', '.join(_OPTIONAL)} is no text"
    code = line.body.get("code", {})
    if not isinstance(code, dict) or not all(isinstance(digest, str) for digest in code.values()):
        return "code is no map of digests"
    own = {name: value for name, value in line.body.items() if name != SUM}
    if SUM in line.body and line.body[SUM] != _sum(line.seq, line.prev, line.kind, own):
        return "it was changed: it has not the sum that it was written with"
    merges = line.body.get("merges", [])
    if not isinstance(merges, list) or not all(isinstance(name, str) for name in (*merges, *line.body.get("may", ()))):
        return "merges or may is no list of texts"
    if line.prev != GENESIS and line.prev not in lines:
        return f"it continues {line.prev[:12]}, which is not in the file"
    before = lines[line.prev].seq if line.prev != GENESIS else 0
    if line.seq != before + 1:
        return f"seq is {line.seq}, expected {before + 1}"
    for name in (*merges, *([line.body["intent"]] if "intent" in shape else [])):
        if name not in lines:
            return f"it refers to {name[:12]}, which is not in the file"
    return ""


def _broken(path: Path, number: int, reason: str) -> Refused:
    return Refused(
        [Findings().add(kinds.BROKEN, Span(str(path), number, 1, number, 2), line=number, path=path, reason=reason)]
    )
