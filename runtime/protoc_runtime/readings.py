"""One reading of a split: what is asked of the registry, and what the registry holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from protoc_runtime.chain import Line
from protoc_runtime.record import record, replace
from protoc_runtime.registry_lines import Branches
from protoc_runtime.verdict_words import spoken

ONCE = "score once"
CONSUMED = "consumed"
DECLARED: Literal["declared"] = "declared"
_TEXTS = ("protocol", "version", "split", "role", "rows", "content", "ids")
_LATER = ("sketch", "seal", "candidate", "phase", "spec")  # fields that older lines do not have


@record
class Wanted:
    """A split that is about to be read, as its protocol declares it; `rows`, `content`, `ids` and `sketch` are in the
    seal (`PinnedSplit`). `was` is the role before, or empty; `at_most` bounds how many different subjects may read it
    (0: no bound); `cases` is the number of rows that it must have (0: any); `seal` and `candidate` are the digests of
    the seal and of what is evaluated. Of a phase also `spec`, the digest of the protocol, and `code`, the pinned files
    with their digests."""

    protocol: str
    version: int
    split: str
    role: str
    was: str
    may: tuple[str, ...]
    rows: int
    content: str
    ids: str
    sketch: str = ""
    at_most: int = 0
    cases: int = 0
    seal: str = ""
    candidate: str = ""
    phase: str = ""
    spec: str = ""
    code: tuple[tuple[str, str], ...] = ()


@record
class Reading:
    """One reading. `id` is the hash of its intent; `verdict`, `receipt` and `ended` are empty while it is open,
    `decided` is the final verdict where people have judged what the run left to them;
    `reason` and `evidence` are those of a void one. A `declared` one is of no run: a protocol says that these rows
    were spent elsewhere."""

    id: str
    protocol: str
    version: int
    split: str
    role: str
    may: tuple[str, ...]
    use: str
    run: str
    rows: int
    content: str
    ids: str
    at: str
    state: Literal["open", "closed", "void", "declared"] = "open"
    verdict: str = ""
    receipt: str = ""
    ended: str = ""
    reason: str = ""
    evidence: tuple[tuple[str, str], ...] = ()
    sketch: str = ""
    seal: str = ""
    candidate: str = ""
    phase: str = ""
    spec: str = ""
    code: tuple[tuple[str, str], ...] = ()
    decided: str | None = None

    @property
    def last_verdict(self) -> str:
        """The final verdict where people have judged, else that of the run itself."""
        return self.verdict if self.decided is None else self.decided

    def told(self) -> str:
        """The reading in words, for messages."""
        if self.state == DECLARED:
            return f"{self.protocol} version {self.version} declares its split {self.split} consumed, {self.at}"
        closed = f"verdict {spoken(self.last_verdict)}"
        end = {"open": "no verdict yet", "closed": closed, "void": f"void: {self.reason}"}[self.state]
        return f"run {self.run} of {self.protocol} version {self.version}, to {self.use} {self.split}, {self.at}, {end}"


def end_of(reading: Reading) -> str:
    """How a reading ended, in words for a receipt; "" while it is open. A void one shows its evidence."""
    if reading.state == "void":
        files = ", ".join(f"{name} sha256 {digest[:12]}" for name, digest in reading.evidence)
        return f"void: {reading.reason}" + (f" (evidence: {files})" if files else "")
    if reading.state == DECLARED:
        return "declared to be consumed elsewhere"
    return f"verdict {spoken(reading.last_verdict)}" if reading.state == "closed" else ""


def intent(want: Wanted, use: str, run: str) -> dict[str, object]:
    """The body of the line that announces a reading."""
    made: dict[str, object] = {name: getattr(want, name) for name in _TEXTS}
    made |= {"may": list(want.may), "use": use, "run": run}
    made |= {"code": dict(want.code)} if want.code else {}
    return made | {name: getattr(want, name) for name in _LATER if getattr(want, name)}


def consumed(want: Wanted) -> dict[str, object]:
    """The body of the line that says that rows were spent elsewhere."""
    made: dict[str, object] = {name: getattr(want, name) for name in _TEXTS}
    return made | {name: getattr(want, name) for name in ("sketch", "seal") if getattr(want, name)}


def as_declared(want: Wanted, at: str = "now") -> Reading:
    """A split that its protocol declares consumed, as a reading that the registry may not hold yet."""
    about = {name: getattr(want, name) for name in (*_TEXTS, "sketch", "seal")}
    return Reading(id="", may=(), use=CONSUMED, run="", at=at, state=DECLARED, **about)


def opened(line: Line) -> Reading:
    """The reading that a line announces."""
    body = line.body
    about: dict[str, Any] = {name: body[name] for name in (*_TEXTS, "at")}
    about |= {name: body[name] for name in _LATER if name in body}
    about["code"] = tuple(sorted(body.get("code", {}).items()))
    if line.kind == CONSUMED:
        return Reading(id=line.hash, may=(), use=CONSUMED, run="", state=DECLARED, **about)
    return Reading(id=line.hash, may=tuple(body["may"]), use=body["use"], run=body["run"], **about)


def all_readings(branches: Branches) -> list[Reading]:
    """Every reading with its end, by time; in branches a reading may have several ends, of which the first counts."""
    ordered = sorted(branches.lines.values(), key=lambda line: (str(line.body.get("at", "")), line.seq, line.hash))
    found = {line.hash: opened(line) for line in ordered if line.kind in ("intent", CONSUMED)}
    for line in ordered:
        reading = found.get(str(line.body.get("intent")))
        if reading is not None and reading.state == "open" and line.kind in ("closed", "void"):
            found[reading.id] = _ended(reading, line.kind, line.body)
    final = {str(line.body["run"]): str(line.body["verdict"]) for line in ordered if line.kind == "decided"}
    return [replace(one, decided=final[one.run]) if one.run in final else one for one in found.values()]


def _ended(reading: Reading, kind: str, body: Mapping[str, Any]) -> Reading:
    if kind == "closed":
        told = {"verdict": body["verdict"], "receipt": body["receipt"]}
    else:
        told = {"reason": body["reason"], "evidence": tuple(sorted(body["evidence"].items()))}
    return replace(reading, state=kind, ended=body["at"], **told)
