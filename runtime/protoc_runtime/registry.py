"""The registry of readings: which split was read for what, by which run, and whether it may be read again.

An `intent` is written before the first row of a split is read, and consumes the split from then on; `closed` adds the
verdict and the receipt's digest, `void` takes a reading back after a failure of the infrastructure, `role` records
that a held-out split has become something else, `consumed` that a protocol declares rows to be spent elsewhere. Rows
are recognised by what they say, whatever the split, protocol or version is called, also in changed copies (`likeness`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from protoc_runtime.catalogue import registry as kinds
from protoc_runtime.catalogue import splits as split_kinds
from protoc_runtime.diagnostics import Diagnostic, Findings, Refused
from protoc_runtime.double_readings import doubles
from protoc_runtime.judging import judge
from protoc_runtime.likeness import MOSTLY, likeness
from protoc_runtime.readings import (
    CONSUMED,
    DECLARED,
    Reading,
    Wanted,
    all_readings,
    as_declared,
    consumed,
    intent,
    opened,
)
from protoc_runtime.registry_file import Draft, change, load, told_torn
from protoc_runtime.registry_lines import Branches
from protoc_runtime.sketches import Sketches

__all__ = [
    "Reading", "Wanted", "close_readings", "decisions", "may_read", "readings", "record_decision", "reserve",
    "splits_check", "void_reading",
]  # fmt: skip


def readings(path: Path, protocol: str | None = None) -> tuple[Reading, ...]:
    """Every reading (of one protocol, all its versions), oldest first. Raises `Refused` (E1303)."""
    return tuple(found for found in all_readings(load(path)) if protocol in (None, found.protocol))


def readings_of_rows(path: Path, protocol: str, splits: Sequence[Wanted]) -> tuple[Reading, ...]:
    """Every reading of a protocol, and those by others of the rows of its splits; oldest first. Raises `Refused`."""
    sketches = Sketches(path)
    return tuple(
        found
        for found in all_readings(load(path))
        if found.protocol == protocol or any(_recognised(found, split, sketches) for split in splits)
    )


def _recognised(found: Reading, split: Wanted, sketches: Sketches) -> bool:
    like = likeness(found, split, sketches)
    return like is not None and like.spent


def may_read(path: Path, wanted: Sequence[Wanted], use: str, spent: Sequence[Wanted] = ()) -> Findings:
    """Whether these splits may be read now; errors forbid it (E1301, E1302, E1304, E1305, E2302, E2304, E2307).

    `spent` are the splits that the protocol declares consumed. Nothing is written.
    """
    known = all_readings(load(path))
    return judge([*known, *map(as_declared, _new(known, spent))], wanted, use, Sketches(path))


def reserve(
    path: Path,
    wanted: Sequence[Wanted],
    use: str,
    run: str,
    spent: Sequence[Wanted] = (),
    check: Callable[[Branches], None] = lambda branches: None,
) -> tuple[tuple[Reading, ...], list[Diagnostic]]:
    """Register the readings of all these splits, before their first row is read: all of them, or none.

    Of two processes that try at once, one gets a split that may be read once. A run that is resumed gets its own open
    readings again. Splits that the protocol declares consumed (`spent`) are registered as such, for every protocol of
    the workspace. `check` may refuse, for what the registry holds once it is locked. Returns the readings, and
    warnings. Raises `Refused` as `may_read` finds, E1303, E1310.
    """
    sketches = Sketches(path)

    def decide(draft: Draft) -> tuple[tuple[Reading, ...], list[Diagnostic]]:
        """The readings of this run, the new ones added as intents. Raises Refused where a split may not be read
        again."""
        check(draft.branches)
        known = all_readings(draft.branches)
        own = {found.split: found for found in known if _resumes(found, wanted, use, run)}
        taken_back = [found for found in known if found.run == run and found.state == "void"]
        if taken_back:  # a run whose reading was made void does not go on
            raise Refused([Findings().add(kinds.UNKNOWN, None, path=path, reading=taken_back[0].id[:12])])
        new = [want for want in wanted if want.split not in own]
        declared = _new(known, spent)
        findings = judge([*known, *map(as_declared, declared)], new, use, sketches)
        if findings.failed:
            raise Refused(findings.sorted())
        for want in declared:
            draft.add(CONSUMED, consumed(want))
        for want in new:
            _record_role(draft, want, sketches)
            own[want.split] = opened(draft.add("intent", intent(want, use, run)))
        return tuple(own[want.split] for want in wanted), findings.sorted()

    return change(path, decide)


def _new(known: Sequence[Reading], spent: Sequence[Wanted]) -> list[Wanted]:
    """Those of the consumed splits that the registry does not tell of yet."""
    told = {(found.protocol, found.version, found.split, found.content) for found in known if found.state == DECLARED}
    return [want for want in spent if (want.protocol, want.version, want.split, want.content) not in told]


def close_readings(path: Path, ids: Iterable[str], *, verdict: str, receipt: str) -> None:
    """Record the verdict and the digest of the receipt for open readings. Raises `Refused`: E1311 if one is not open
    (closing it again with the same verdict and receipt does nothing), E1303, E1310."""

    def decide(draft: Draft) -> None:
        """Close every open reading of the run; raises Refused for one that is not open, unless it was closed so."""
        known = {found.id: found for found in all_readings(draft.branches)}
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
        """Add the final verdict of the run, unless it is known already."""
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
    scored. Raises `Refused`: E1306 if anything was scored, reason or evidence is lacking, or a reading of these rows
    has been taken back before; E1311, E1303, E1310.
    """
    sketches = Sketches(path)

    def decide(draft: Draft) -> None:
        """Make the reading void. Raises Refused where it is not open, or what would excuse it is lacking."""
        known = all_readings(draft.branches)
        found = next((found for found in known if found.id == reading), None)
        if found is None or found.state != "open":
            raise Refused([Findings().add(kinds.UNKNOWN, None, path=path, reading=reading[:12])])
        earlier = [one for one in known if one.state == "void" and _same(one, found, sketches)]
        lacking = [
            (scored > 0, f"{scored} of its cases have been scored"),
            (not reason.strip(), "no reason is given"),
            (not evidence, "no evidence is given"),
            (bool(earlier), f"a reading of these rows was taken back before: {earlier[0].told() if earlier else ''}"),
        ]
        findings = Findings()
        for applies, why in lacking:
            if applies:
                findings.add(kinds.VOID_REFUSED, None, reading=reading[:12], reason=why)
        if findings.failed:
            raise Refused(findings)
        draft.add("void", {"intent": reading, "run": found.run, "reason": reason, "evidence": dict(evidence)})

    change(path, decide)


def splits_check(path: Path) -> Findings:
    """What `protoc splits --check` reports: a broken chain, double readings (E1307), runs with several ends (E1313),
    readings without an end."""
    findings = Findings()
    try:
        branches = load(path)
    except Refused as refused:
        findings.extend(refused.diagnostics)
        return findings
    told_torn(path, findings)
    found = all_readings(branches)
    sketches = Sketches(path)
    for split, first, second, how in doubles(path, branches):
        findings.add(kinds.DOUBLE, None, split=split, first=first, second=second, how=how)
    for one in found:
        if one.state == "open":
            findings.add(kinds.OPEN, None, split=one.split, first=one.told(), run=one.run)
    for run, ends, counts in _several_ends(branches):
        findings.add(kinds.SEVERAL_ENDS, None, run=run, ends=ends, counts=counts)
    for digest, whose in {found.sketch: found.told() for found in found if found.sketch}.items():
        if sketches.get(digest) is None:
            findings.add(split_kinds.NO_SKETCH, None, digest=digest, whose=whose)
    return findings


def _several_ends(branches: Branches) -> Iterator[tuple[str, str, str]]:
    """Runs to which merged clones have given different ends of one kind: the run, its ends, and the one that counts."""
    ends: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for line in sorted(branches.lines.values(), key=lambda line: (str(line.body.get("at", "")), line.seq, line.hash)):
        if line.kind in ("closed", "decided"):
            told = (str(line.body["verdict"]), str(line.body["receipt"]))
            known = ends.setdefault((line.kind, str(line.body["run"])), [])
            known.extend([told] if told not in known else [])
    for (kind, run), known in ends.items():
        if len(known) > 1:
            shown = [f"{verdict} (receipt {receipt.removeprefix('sha256:')[:12]})" for verdict, receipt in known]
            yield run, " and ".join(shown), shown[-1 if kind == "decided" else 0]


def _same(earlier: Reading, later: Wanted | Reading, sketches: Sketches) -> bool:
    like = likeness(earlier, later, sketches)
    return like is not None and like.spent and like.share >= MOSTLY


def _resumes(found: Reading, wanted: Sequence[Wanted], use: str, run: str) -> bool:
    same = any(want.split == found.split and want.content == found.content for want in wanted)
    return found.state == "open" and found.run == run and found.use == use and same


def _record_role(draft: Draft, want: Wanted, sketches: Sketches) -> None:
    known = [found for found in all_readings(draft.branches) if _same(found, want, sketches)]
    if known and known[-1].role != want.role:
        about = {"protocol": want.protocol, "version": want.version, "split": want.split, "content": want.content}
        draft.add("role", {**about, "from": known[-1].role, "to": want.role})
