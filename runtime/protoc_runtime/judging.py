"""Whether splits may be read: their uses, their roles, what was read before, how many candidates there were."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, product

from protoc_runtime.catalogue import registry as kinds
from protoc_runtime.catalogue import splits as split_kinds
from protoc_runtime.declared import Phase
from protoc_runtime.diagnostics import Findings
from protoc_runtime.likeness import MOSTLY, Likeness, likeness, same_keys
from protoc_runtime.readings import DECLARED, ONCE, Reading, Wanted
from protoc_runtime.roles import UNSEEN, may_become
from protoc_runtime.sketches import Sketches

Alike = tuple[Reading, Likeness]
_REFUSED = (kinds.SPENT.id, kinds.ROLE_BACK.id, kinds.ROLE_UNDECLARED.id)  # for what was read before


def judge(known: Sequence[Reading], wanted: Sequence[Wanted], use: str, sketches: Sketches) -> Findings:
    """Every reason against reading these splits now, and what is doubtful."""
    findings = Findings()
    for want in wanted:
        if use not in {allowed.removesuffix(" once") for allowed in want.may}:
            findings.add(kinds.USE, None, split=want.split, use=use, may=", ".join(want.may) or "nothing")
        if want.cases and want.rows != want.cases:
            findings.add(split_kinds.CASES, None, split=want.split, found=want.rows, expected=want.cases)
        _judge_sketches(findings, known, want, sketches)
        _judge_rows(findings, known, want, use, sketches)
    return findings


def foresee(phases: Sequence[Phase], splits: Mapping[str, Wanted], sketches: Sketches, findings: Findings) -> None:
    """Tell (W2312) which split will be refused, since an earlier phase of the same protocol reads rows like its own."""
    for first, second in combinations(phases, 2):
        for earlier, later in product(first.reads, second.reads):
            if earlier == later:
                continue
            reading = _imagined(splits[earlier], first)
            like = likeness(reading, splits[later], sketches)
            refused = [each for each in judge([reading], [splits[later]], second.use, sketches) if each.id in _REFUSED]
            if like is not None and refused:
                findings.add(
                    split_kinds.FORESEEN, None, split=later, phase=second.name, earlier=earlier, before=first.name,
                    how=like.words, id=refused[0].id,
                )  # fmt: skip


def _imagined(want: Wanted, phase: Phase) -> Reading:
    """The reading of a split that a phase will have made."""
    about = (want.protocol, want.version, want.split, want.role, want.may, phase.use)
    return Reading("", *about, run="", rows=want.rows, content=want.content, ids=want.ids, at="", sketch=want.sketch)


def spends(earlier: Reading, later: Wanted | Reading, like: Likeness) -> bool:
    """Whether an earlier reading of like rows uses up what the later one wants."""
    if earlier.state == "void" or not like.spent:
        return False
    if earlier.state == DECLARED:
        return not (isinstance(later, Reading) and later.state == DECLARED)
    uses_up = ONCE in later.may and earlier.use not in later.may
    reused = ONCE in earlier.may and earlier.role in UNSEEN and later.role in UNSEEN and earlier.use == "score"
    return uses_up or reused


def _judge_rows(findings: Findings, known: Sequence[Reading], want: Wanted, use: str, sketches: Sketches) -> None:
    found = [(reading, likeness(reading, want, sketches)) for reading in known]
    alike = [(reading, like) for reading, like in found if like is not None]
    allowed = _judge_role(findings, alike, want)
    blocking = [(reading, like) for reading, like in alike if spends(reading, want, like)]
    if allowed and blocking and (use != "tune" or use not in want.may or blocking[0][0].state == DECLARED):
        first, like = blocking[0]
        resume = _resumable(first)
        findings.add(kinds.SPENT, None, split=want.split, how=like.words, first=first.told(), resume=resume)
    if not blocking:
        _judge_candidates(findings, alike, want)
        _warn(findings, known, alike, want, sketches)


def _judge_role(findings: Findings, alike: Sequence[Alike], want: Wanted) -> bool:
    """Whether the declared role is one that these rows can have; rows that cannot be held out are not also spent."""
    others = [(found, like) for found, like in alike if like.share >= MOSTLY and found.role != want.role]
    for found, like in others:
        about = _of_role(want, found, like)
        if not may_become(found.role, want.role):
            findings.add(kinds.ROLE_BACK, None, related=(), **about)
            return False
    for found, like in others:
        if found.role in UNSEEN and want.was != found.role:
            about = _of_role(want, found, like)
            findings.add(kinds.ROLE_UNDECLARED, None, related=(), **about)
            return True
    return True


def _of_role(want: Wanted, found: Reading, like: Likeness) -> dict[str, str]:
    return {
        "split": want.split, "role": want.role, "before": found.role, "how": like.words, "first": found.told(),
    }  # fmt: skip


def _judge_candidates(findings: Findings, alike: Sequence[Alike], want: Wanted) -> None:
    """Whether there is room for one more subject, where their number is bounded."""
    if not want.at_most:
        return
    read = [found for found, like in alike if like.spent and found.state in ("open", "closed")]
    before = list(dict.fromkeys(found.candidate for found in read if found.candidate != want.candidate))
    if len(before) >= want.at_most:
        found, first = len(before), read[0].told()
        findings.add(split_kinds.CANDIDATES, None, split=want.split, bound=want.at_most, found=found, first=first)


def _judge_sketches(findings: Findings, known: Sequence[Reading], want: Wanted, sketches: Sketches) -> None:
    """Whether everything is there that recognises changed copies; without it a reading once cannot be promised."""
    if ONCE not in want.may:
        return
    needed = {want.sketch: f"split {want.split} of this protocol"}
    needed |= {found.sketch: found.told() for found in known if found.state != "void"}
    for digest, whose in needed.items():
        if digest and sketches.get(digest) is None:
            findings.add(split_kinds.NO_SKETCH, None, digest=digest, whose=whose)


def _warn(
    findings: Findings, known: Sequence[Reading], alike: Sequence[Alike], want: Wanted, sketches: Sketches
) -> None:
    """Tell of a part that was read before, and of equal keys, where neither forbids the reading."""
    part = [(found, like) for found, like in alike if not like.spent and found.state != "void"]
    if part and ONCE in want.may:
        first, like = max(part, key=lambda pair: pair[1].share)
        findings.add(split_kinds.PARTLY_READ, None, split=want.split, how=like.words, first=first.told())
    same = {reading.id for reading, like in alike if like.spent}
    keys = [found for found in known if found.id not in same and want.rows and same_keys(found, want, sketches)]
    if keys:
        findings.add(kinds.SAME_KEYS, None, split=want.split, first=keys[0].told())


def _resumable(found: Reading) -> str:
    """The beginning of a hint: what to do about a reading without an end."""
    how = f"if that run was interrupted, continue it with `protoc run SPEC --resume {found.run}`; otherwise "
    return how if found.state == "open" else ""
