"""Comparing a protocol's folder with its seal, and what git knows about it; none of it needs the compiler."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from protoc_runtime.canonical import digest_json
from protoc_runtime.catalogue import rows as row_kinds
from protoc_runtime.catalogue import seal as kinds
from protoc_runtime.declared import Declared, Split
from protoc_runtime.diagnostics import Findings
from protoc_runtime.git import find_repository
from protoc_runtime.pinning import present_pins
from protoc_runtime.record import replace
from protoc_runtime.registry import Wanted
from protoc_runtime.seal import FILE_NAME, Pins, Seal, compare, load_seals
from protoc_runtime.seal_format import PinnedSplit, to_bytes


def check_seal(declared: Declared, spec: Path, package: Path, *, digest: str = "") -> tuple[tuple[Seal, ...], Findings]:
    """Every seal of this folder, and each difference between the last one and what is there (bytes only).

    `digest` is the spec digest that the compiler computed from the text; without it (in a generated runner) a changed
    text is an error. Raises `Refused` (E1103) if the chain of seals does not hold.
    """
    findings = Findings()
    path = spec.parent / FILE_NAME
    seals = load_seals(path)
    if not seals or (seals[-1].pins.protocol, seals[-1].pins.version) != (declared.id, declared.version):
        findings.add(
            kinds.NOT_SEALED, None, protocol=declared.id, version=declared.version, path=path, spec=spec.parent
        )
        return seals, findings
    sealed, located = seals[-1].pins, Findings()
    try:
        present = present_pins(declared, spec, package, findings=located, digest=digest, sealed=sealed)
    except OSError as error:
        findings.add(kinds.UNREADABLE, None, path=error.filename or spec, reason=error.strerror or error)
        return seals, findings
    recorded = declared.subject.target if declared.subject and declared.subject.kind == "recorded" else ""
    findings.extend(compare(sealed, present, meaning_known=bool(digest), recorded=recorded))
    told = {kinds.UNREADABLE.id, kinds.OTHER_FILE.id, row_kinds.MISSING_FILE.id} if findings.failed else set()
    findings.extend(item for item in located if item.id not in told)  # a missing file is named once
    return seals, findings


def git_state(pins: Pins, spec: Path, package: Path) -> tuple[str | None, tuple[str, ...] | None]:
    """The commit of HEAD, and the pinned files that it does not hold as they are; (None, None) outside of git.

    Before the first commit it is (None, ()).
    """
    repository = find_repository(spec.parent)
    if repository is None:
        return None, None
    commit = repository.head()
    return commit, () if commit is None else repository.unclean(pinned_paths(pins, spec, package), commit)


def committed_after(seal: Seal, path: Path) -> bool | None:
    """Whether the commit that added this seal to `path` (`seal.jsonl`) follows the one that the seal names as HEAD.

    None where that cannot be told: outside of git, before the seal is committed, in a shallow clone.
    """
    return order_in_git(seal, path)[0]


def order_in_git(seal: Seal, path: Path) -> tuple[bool | None, str]:
    """What `committed_after` says, and the reason in words."""
    if seal.commit is None:
        return None, "the seal names no commit"
    repository = find_repository(path.parent)
    if repository is None:
        return None, "this workspace is not in git"
    added = repository.introduced(path, to_bytes(seal))
    if added is None:
        return None, f"{path.name} is not committed with this seal"
    if repository.commit(seal.commit) is None:
        return None, f"this clone does not have commit {seal.commit}, which the seal names"
    if added != seal.commit and (follows := repository.is_ancestor(seal.commit, added)) is not False:
        unknown = f"this clone does not have the history between {seal.commit} and {added}"
        return (
            follows,
            f"commit {added} adds the seal and follows {seal.commit}, which it names" if follows else unknown,
        )
    return False, f"git has the seal of {seal.time} in a commit that does not follow {seal.commit}, which it names"


def pinned_paths(pins: Pins, spec: Path, package: Path) -> list[Path]:
    """Where every pinned file is."""
    own = [pins.raw.path, *(pin.path for pin in pins.inputs), *(pin.path for pin in pins.code)]
    return [spec.parent / path for path in own] + [package / path for path in pins.package.files]


def wanted_splits(declared: Declared, pins: Pins, names: Iterable[str]) -> list[Wanted]:
    """What the registry is asked for these splits, from the seal alone. A split without sealed rows (no table has a
    column of splits) is known by its name only."""
    pinned = {split.name: split for split in pins.splits}
    made = []
    for name in names:
        split, rows = declared.split(name), pinned.get(name, PinnedSplit(name, 0, "", ""))
        about = (declared.id, declared.version, name, split.role, split.was, split.may)
        asked = Wanted(*about, rows.rows, rows.content, rows.ids, rows.sketch)
        made.append(replace(asked, at_most=split.at_most, cases=split.cases))
    return made


def spent_splits(declared: Declared, pins: Pins) -> list[Wanted]:
    """The splits that the protocol declares consumed, with their sealed rows."""
    rows = {split.name for split in pins.splits if split.rows}
    names = [split.name for split in declared.splits if split.name in rows and _is_spent(split)]
    return wanted_splits(declared, pins, names)


def candidate(declared: Declared, pins: Pins) -> str:
    """What is evaluated, as one digest: the subject, its pinned files and the frozen values."""
    subject = declared.subject
    return digest_json({
        "subject": [subject.kind, subject.target, list(subject.argv)] if subject is not None else [],
        "files": {pin.path: pin.sha256 for pin in pins.code},
        "frozen": {item.name: [item.file, str(item.value)] for item in declared.freeze},
    })  # fmt: skip


def _is_spent(split: Split) -> bool:
    return "consumed" in (split.status, split.role)
