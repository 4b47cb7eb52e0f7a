"""The registry of readings: which split was read for what, by which run, and whether it may be read again.

An `intent` is written before the first row of a split is read, and consumes the split from then on; `closed` adds the
verdict and the receipt's digest, `void` takes a reading back after a failure of the infrastructure, `role` records
that a held-out split has become something else. Rows are recognised by the digest of their content, whatever the
split, protocol or version is called.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from protoc_runtime.catalogue import registry as kinds
from protoc_runtime.chain import Line
from protoc_runtime.diagnostics import Diagnostic, Findings, Refused
from protoc_runtime.record import record
from protoc_runtime.registry_file import Branches, Draft, change, load

HELD_OUT = "heldout"
ONCE = "score once"


@record
class Wanted:
    """A split that is about to be read, as its protocol declares it; `rows`, `content` and `ids` are in the seal
    (`PinnedSplit`). `was` is the role before, or empty."""

    protocol: str
    version: int
    split: str
    role: str
    was: str
    may: tuple[str, ...]
    rows: int
    content: str
    ids: str


@record
class Reading:
    """One reading. `id` is the hash of its intent; `verdict`, `receipt` and `ended` are empty while it is open;
    `reason` is that of a void one."""

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
    state: Literal["open", "closed", "void"] = "open"
    verdict: str = ""
    receipt: str = ""
    ended: str = ""
    reason: str = ""

    def told(self) -> str:
        """The reading in words, for messages."""
        end = {"open": "no verdict yet", "closed": f"verdict {self.verdict}", "void": f"void: {self.reason}"}[
            self.state
        ]
        return f"run {self.run} of {self.protocol} version {self.version}, to {self.use} {self.split}, {self.at}, {end}"


def readings(path: Path, protocol: str | None = None) -> tuple[Reading, ...]:
    """Every reading (of one protocol, all its versions), oldest first. Raises `Refused` (E1303)."""
    return tuple(found for found in _readings(load(path)) if protocol in (None, found.protocol))


def may_read(path: Path, wanted: Sequence[Wanted], use: str) -> Findings:
    """Whether these splits may be read now; errors forbid it (E1301, E1302, E1304, E1305). Nothing is written."""
    return _judge(load(path), wanted, use)


def reserve(path: Path, wanted: Sequence[Wanted], use: str, run: str) -> tuple[tuple[Reading, ...], list[Diagnostic]]:
    """Register the readings of all these splits, before their first row is read: all of them, or none.

    Of two processes that try at once, one gets a split that may be read once. A run that is resumed gets its own open
    readings again. Returns the readings, and warnings. Raises `Refused` as `may_read` finds, E1303, E1310.
    """

    def decide(draft: Draft) -> tuple[tuple[Reading, ...], list[Diagnostic]]:
        own = {found.split: found for found in _readings(draft.branches) if _resumes(found, wanted, use, run)}
        new = [want for want in wanted if want.split not in own]
        findings = _judge(draft.branches, new, use)
        if findings.failed:
            raise Refused(findings.sorted())
        for want in new:
            _record_role(draft, want)
            own[want.split] = _opened(draft.add("intent", _intent(want, use, run)))
        return tuple(own[want.split] for want in wanted), findings.sorted()

    return change(path, decide)


def close_readings(path: Path, ids: Iterable[str], *, verdict: str, receipt: str) -> None:
    """Record the verdict and the digest of the receipt for open readings. Raises `Refused`: E1311 if one is not open
    (closing it again with the same verdict and receipt does nothing), E1303, E1310."""

    def decide(draft: Draft) -> None:
        known = {found.id: found for found in _readings(draft.branches)}
        for name in ids:
            found = known.get(name)
            if found is not None and (found.state, found.verdict, found.receipt) == ("closed", verdict, receipt):
                continue
            if found is None or found.state != "open":
                raise Refused([Findings().add(kinds.UNKNOWN, None, path=path, reading=name[:12])])
            draft.add("closed", {"intent": name, "run": found.run, "verdict": verdict, "receipt": receipt})

    change(path, decide)


def record_decision(path: Path, run: str, *, verdict: str, receipt: str) -> None:
    """Append the final verdict of a run whose readings are closed; of the same one twice nothing is appended."""

    def decide(draft: Draft) -> None:
        if not any(known == (verdict, receipt) for known in _decisions(draft.branches, run)):
            draft.add("decided", {"run": run, "verdict": verdict, "receipt": receipt})

    change(path, decide)


def decisions(path: Path, run: str) -> tuple[tuple[str, str], ...]:
    """The final verdicts of a run that the registry holds, each with the digest of its receipt."""
    return _decisions(load(path), run)


def _decisions(branches: Branches, run: str) -> tuple[tuple[str, str], ...]:
    lines = [line for line in branches.lines.values() if line.kind == "decided" and line.body["run"] == run]
    return tuple((str(line.body["verdict"]), str(line.body["receipt"])) for line in lines)


def void_reading(path: Path, reading: str, *, reason: str, evidence: Mapping[str, str], scored: int) -> None:
    """Take back a reading after a failure of the infrastructure; it stays visible, but no longer consumes the split.

    `evidence`: files that show the failure, with their SHA-256; `scored`: how many cases the run's ledger has as
    scored. Raises `Refused`: E1306 if anything was scored or reason or evidence is lacking, E1311, E1303, E1310.
    """
    lacking = [
        (scored > 0, f"{scored} of its cases have been scored"),
        (not reason.strip(), "no reason is given"),
        (not evidence, "no evidence is given"),
    ]

    def decide(draft: Draft) -> None:
        found = next((found for found in _readings(draft.branches) if found.id == reading), None)
        if found is None or found.state != "open":
            raise Refused([Findings().add(kinds.UNKNOWN, None, path=path, reading=reading[:12])])
        findings = Findings()
        for applies, why in lacking:
            if applies:
                findings.add(kinds.VOID_REFUSED, None, reading=reading[:12], reason=why)
        if findings.failed:
            raise Refused(findings)
        draft.add("void", {"intent": reading, "run": found.run, "reason": reason, "evidence": dict(evidence)})

    change(path, decide)


def splits_check(path: Path) -> Findings:
    """What `protoc splits --check` reports: a broken chain, double readings (E1307), readings without an end."""
    findings = Findings()
    try:
        found = _readings(load(path))
    except Refused as refused:
        findings.extend(refused.diagnostics)
        return findings
    for place, second in enumerate(found):
        earlier = [first for first in found[:place] if _blocks(first, second)]
        if earlier and second.state != "void":
            findings.add(kinds.DOUBLE, None, split=second.split, first=earlier[0].told(), second=second.told())
        if second.state == "open":
            findings.add(kinds.OPEN, None, split=second.split, first=second.told())
    return findings


def _judge(branches: Branches, wanted: Sequence[Wanted], use: str) -> Findings:
    findings, known = Findings(), _readings(branches)
    for want in wanted:
        if use not in {allowed.removesuffix(" once") for allowed in want.may}:
            findings.add(kinds.USE, None, split=want.split, use=use, may=", ".join(want.may) or "nothing")
        blocking = [found for found in known if _blocks(found, want)]
        allowed = _judge_role(findings, known, want)
        if allowed and (use != "tune" or use not in want.may):
            for found in blocking[:1]:
                findings.add(kinds.SPENT, None, split=want.split, first=found.told(), resume=_resumable(found))
        alike = [found for found in known if found.ids == want.ids and not _same_rows(found, want) and want.rows]
        if alike and not blocking:
            findings.add(kinds.SAME_KEYS, None, split=want.split, first=alike[0].told())
    return findings


def _resumable(found: Reading) -> str:
    """The beginning of a hint: what to do about a reading without an end."""
    how = f"if that run was interrupted, continue it with `protoc run SPEC --resume {found.run}`; otherwise "
    return how if found.state == "open" else ""


def _judge_role(findings: Findings, known: Sequence[Reading], want: Wanted) -> bool:
    """Whether the declared role is one that these rows can have; rows that cannot be held out are not also spent."""
    others = [found for found in known if _same_rows(found, want) and found.role != want.role]
    if not others:
        return True
    about = {"split": want.split, "role": want.role, "before": others[0].role, "first": others[0].told()}
    if want.role == HELD_OUT:
        findings.add(kinds.ROLE_BACK, None, related=(), **about)
        return False
    if others[0].role == HELD_OUT and want.was != HELD_OUT:
        findings.add(kinds.ROLE_UNDECLARED, None, related=(), **about)
    return True


def _blocks(earlier: Reading, later: Wanted | Reading) -> bool:
    """Whether an earlier reading uses up what the later one wants."""
    if earlier.state == "void" or not _same_rows(earlier, later):
        return False
    spends = ONCE in later.may and earlier.use not in later.may
    reused = ONCE in earlier.may and earlier.role == later.role == HELD_OUT and earlier.use == "score"
    return spends or reused


def _same_rows(earlier: Reading, later: Wanted | Reading) -> bool:
    """The same content; or the same split of the same protocol, also if its rows were edited in between."""
    if earlier.rows and later.rows and earlier.content == later.content:
        return True
    if earlier.protocol != later.protocol:
        return False
    return (earlier.version, earlier.split) == (later.version, later.split) or (
        earlier.ids == later.ids and earlier.rows > 0
    )


def _resumes(found: Reading, wanted: Sequence[Wanted], use: str, run: str) -> bool:
    same = any(want.split == found.split and want.content == found.content for want in wanted)
    return found.state == "open" and found.run == run and found.use == use and same


def _record_role(draft: Draft, want: Wanted) -> None:
    known = [found for found in _readings(draft.branches) if _same_rows(found, want)]
    if known and known[-1].role != want.role:
        about = {"protocol": want.protocol, "version": want.version, "split": want.split, "content": want.content}
        draft.add("role", {**about, "from": known[-1].role, "to": want.role})


def _intent(want: Wanted, use: str, run: str) -> dict[str, object]:
    return {
        "protocol": want.protocol,
        "version": want.version,
        "split": want.split,
        "role": want.role,
        "may": list(want.may),
        "use": use,
        "run": run,
        "rows": want.rows,
        "content": want.content,
        "ids": want.ids,
    }


def _opened(line: Line) -> Reading:
    names = ("protocol", "version", "split", "role", "use", "run", "rows", "content", "ids", "at")
    return Reading(id=line.hash, may=tuple(line.body["may"]), **{name: line.body[name] for name in names})


def _readings(branches: Branches) -> list[Reading]:
    """Every reading with its end, by time; in branches a reading may have several ends, of which the first counts."""
    from protoc_runtime.record import replace

    ordered = sorted(branches.lines.values(), key=lambda line: (str(line.body.get("at", "")), line.seq, line.hash))
    found = {line.hash: _opened(line) for line in ordered if line.kind == "intent"}
    for line in ordered:
        reading = found.get(str(line.body.get("intent")))
        if reading is None or reading.state != "open" or line.kind not in ("closed", "void"):
            continue
        body = line.body
        ends = {"state": line.kind, "ended": body["at"]}
        told = ("verdict", "receipt") if line.kind == "closed" else ("reason",)
        found[reading.id] = replace(reading, **ends, **{name: body[name] for name in told})
    return list(found.values())
