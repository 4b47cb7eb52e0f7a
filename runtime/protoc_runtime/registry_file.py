"""The file of the registry: hash-chained lines that may branch, because clones of a repository are merged.

A line continues the line that it names; after a merge of two clones (git's union merge) several lines are ends. The
next line that is written continues one of them and names the others under `merges`, so that no branch can be dropped
unseen. The order of lines in the file does not matter, a repeated line counts once.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from protoc_runtime.canonical import append_synced, digest_bytes, read_plain
from protoc_runtime.catalogue import registry as kinds
from protoc_runtime.chain import GENESIS, BrokenLine, Line, decode, encode, stamp
from protoc_runtime.diagnostics import Findings, Refused, Span
from protoc_runtime.merging import refuse_marks
from protoc_runtime.record import record
from protoc_runtime.workspace import locked

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
T = TypeVar("T")


@record
class Branches:
    """Every line by its hash, in file order, and the hashes of the lines that none continues."""

    lines: Mapping[str, Line]
    ends: tuple[str, ...]


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
        raw = _summed(seq, parent, kind, {**body, **merges, **times})
        line = decode(raw)
        self._lines[line.hash], self._ends, self._at = line, [line.hash], times["at"]
        self.written.append(raw)
        return line


def _summed(seq: int, parent: str, kind: str, body: Mapping[str, Any]) -> bytes:
    """A line with a sum of its own: the last one is continued by none that would show a change made by hand."""
    return encode(seq, parent, kind, {**body, SUM: _sum(seq, parent, kind, body)})


def _sum(seq: int, parent: str, kind: str, body: Mapping[str, Any]) -> str:
    return digest_bytes(encode(seq, parent, kind, body))[:16]


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


def change(path: Path, decide: Callable[[Draft], T]) -> T:
    """Let `decide` read the registry and add lines, while no other process can; the lines are durable on return.

    What `decide` raises leaves the registry as it is. Raises `Refused`: E1303, E1310, E1312.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with locked(path) as descriptor:
            content = read_plain(path)
            whole = content.rfind(b"\n") + 1
            branches, torn = parsed(path, content[:whole]), content[whole:]
            draft, lost = _mend(path, descriptor, branches, content, torn)
            result = decide(draft)
            _write(descriptor, draft.written, lost)
            return result
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


def parsed(path: Path, content: bytes) -> Branches:
    """What whole lines hold. Raises `Refused`: E1312 where git has left marks of a conflict, E1303."""
    refuse_marks(path, content)
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
