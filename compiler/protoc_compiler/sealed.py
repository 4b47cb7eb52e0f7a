"""`protoc seal`: what must hold before a protocol is sealed, and the sealing itself.

The protocol has no error, the generated package is what it compiles to, every row is valid and every `expect` holds;
only then everything is pinned, in one further line of `seal.jsonl`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from protoc_runtime.canonical import digest_bytes
from protoc_runtime.catalogue import seal as kinds
from protoc_runtime.declared import Declared, load
from protoc_runtime.diagnostics import Diagnostic, Findings, Refused
from protoc_runtime.record import record, replace
from protoc_runtime.seal_format import Pins, Seal

if TYPE_CHECKING:
    from protoc_runtime.tables import TableData

SHOWN = 5


@record
class Sealed:
    """The seal that now holds, and whether this call made it. `seals`: how many there are; `warnings`: what is doubtful
    about the rows; `unclean`: the pinned files that the commit does not hold as they are."""

    seal: Seal
    new: bool
    seals: int
    warnings: tuple[Diagnostic, ...]
    unclean: tuple[str, ...] = ()


def seal_protocol(
    spec: Path, package: Path, emitted: Mapping[str, bytes], reason: str | None, registry: Path | None = None
) -> Sealed:
    """Seal a checked protocol. `emitted` is what it compiles to: the files of `package`, by their names; beside the
    `registry` (of the workspace, if it is not given) the sketches of its splits are kept.

    Raises `Refused` with every fault: E1112 for a stale package, E10xx for rows, E1114 for an expectation, and those
    of `append_seal`.
    """
    from protoc_runtime.history import check_seals
    from protoc_runtime.seal import FILE_NAME, append_seal, load_seals
    from protoc_runtime.sealing import git_state
    from protoc_runtime.workspace import Workspace, find_workspace

    _check_copies(spec, package)
    check_fresh(spec, package, emitted)
    findings = Findings()
    where = registry if registry is not None else find_workspace(spec).registry
    declared = load(emitted["protocol.json"])
    pins = pin(declared, spec, package, findings, where)
    commit, unclean = git_state(pins, spec, package)
    clean = None if unclean is None else commit is not None and not unclean
    _note_unsigned(declared, pins, where, findings)
    _foresee(declared, pins, where, findings)
    lost = check_seals(Workspace(where.parent), spec, pins.protocol, pins.version)
    if lost.failed:
        raise Refused(lost.sorted())
    path = spec.parent / FILE_NAME
    drift = _drift(path, spec, pins, where) if reason else None
    seal, new = append_seal(path, pins, commit=commit, clean=clean, reason=reason, drift=drift)
    return Sealed(seal, new, len(load_seals(path)), tuple(findings.sorted()), unclean or ())


def _drift(path: Path, spec: Path, pins: Pins, registry: Path) -> dict[str, Any] | None:
    """What the next seal says about the one before, where the meaning is another."""
    from protoc_runtime.seal import load_seals

    seals = load_seals(path)
    if not seals or seals[-1].pins.spec == pins.spec:
        return None
    from protoc_compiler.drift.sealing import drift

    return drift(seals[-1], spec, pins.spec, registry, registry.parent / "runs")


def _check_copies(spec: Path, package: Path) -> None:
    """Raise `Refused` (E2131, E2132) where a canonical block has changed since the package was compiled."""
    from protoc_runtime.manifests.copies import require_copies

    try:
        declared = load(package / "protocol.json")
    except (OSError, Refused):
        return  # no package, or none that can be read: that is told of it as a whole
    require_copies(declared, spec.parent)


def check_fresh(spec: Path, package: Path, emitted: Mapping[str, bytes]) -> None:
    """Raise `Refused` (E1112) unless the package on the disk is, file by file, what the protocol compiles to."""
    from protoc_runtime.pinning import pin_package

    there, due = pin_package(package).files, {name: digest_bytes(data) for name, data in emitted.items()}
    changed = [name for name in sorted({*there, *due}) if there.get(name) != due.get(name)]
    if changed:
        told = ", ".join(_difference(name, there, due) for name in changed[:SHOWN])
        more = f" and {len(changed) - SHOWN} more" if len(changed) > SHOWN else ""
        changes = told + more if there else "it is not there"
        about = {"package": _shown(package), "spec": _shown(spec), "changes": changes}
        raise Refused([Findings().add(kinds.STALE_PACKAGE, None, related=(), **about)])


def pin(declared: Declared, spec: Path, package: Path, findings: Findings, registry: Path | None = None) -> Pins:
    """Pin everything that is there, after every row has been read and every expectation of them found to hold.

    Warnings go to `findings`; raises `Refused` with every fault.
    """
    from protoc_runtime.auditing import make_audits
    from protoc_runtime.measured import check_measured
    from protoc_runtime.pinning import input_files, present_pins, with_rows
    from protoc_runtime.reading import read_tables
    from protoc_runtime.unchanged import marks, require_untouched

    before = marks(path for _, path, _ in input_files(declared, spec, Findings()))
    try:
        pins = present_pins(declared, spec, package, findings=findings)
    except OSError as error:
        reason = error.strerror or error
        raise Refused([findings.add(kinds.UNREADABLE, None, path=error.filename, reason=reason)]) from None
    check_measured(declared, spec.parent, findings)
    if findings.failed:
        raise Refused(findings.sorted())
    tables = read_tables(declared, spec.parent, findings=findings)
    require_untouched(before)
    if not findings.failed:
        _count(declared, tables, findings)
        _expect(declared, package, tables, findings)
    if findings.failed:
        raise Refused(findings.sorted())
    audits = make_audits(declared, tables, findings)
    if findings.failed:
        raise Refused(findings.sorted())
    try:
        return replace(with_rows(pins, declared, spec, tables, findings, registry), audits=audits)
    except OSError as error:
        path, reason = error.filename or registry, error.strerror or error
        raise Refused([findings.add(kinds.CANNOT_WRITE, None, path=path, reason=reason)]) from None


def _count(declared: Declared, tables: Mapping[str, TableData], findings: Findings) -> None:
    """Each split with a stated size has that many cases, or none yet (E2302)."""
    from protoc_runtime.catalogue import splits as split_kinds
    from protoc_runtime.pinning import case_table, split_rows

    table = case_table(declared)
    for split in declared.splits if table is not None else ():
        assert table is not None
        found = len(split_rows(declared, tables[table.name], split.name)) if split.cases else 0
        if found not in (0, split.cases):
            findings.add(split_kinds.CASES, None, split=split.name, found=found, expected=split.cases)


def _note_unsigned(declared: Declared, pins: Pins, registry: Path, findings: Findings) -> None:
    """Tell (N2309) where texts of a split that is read once were sealed without signatures."""
    from protoc_runtime.catalogue import splits as split_kinds
    from protoc_runtime.sketches import Sketches

    sketches = Sketches(registry)
    for pinned in pins.splits:
        made = sketches.get(pinned.sketch)
        once = "score once" in declared.split(pinned.name).may
        if once and made is not None and made.texts.count and not made.method:
            findings.add(split_kinds.NOT_SKETCHED, None, split=pinned.name)


def _foresee(declared: Declared, pins: Pins, registry: Path, findings: Findings) -> None:
    """Tell (W2312) where one phase spends what another reads."""
    from protoc_runtime.judging import foresee
    from protoc_runtime.sealing import wanted_splits
    from protoc_runtime.sketches import Sketches

    names = list(dict.fromkeys(name for phase in declared.phases for name in phase.reads))
    splits = {want.split: want for want in wanted_splits(declared, pins, names)}
    foresee(declared.phases, splits, Sketches(registry), findings)


def _expect(declared: Declared, package: Path, tables: Mapping[str, object], findings: Findings) -> None:
    """What is expected of the rows that are there; what nobody has answered or judged yet is checked later."""
    from protoc_runtime.expecting import INPUTS, held, rows_against
    from protoc_runtime.packages import load_rules

    rules, words = load_rules(package), {False: "false", None: "undefined"}
    for table, text, holds in held(declared, rules, tables, (INPUTS,)):
        if holds is not True:
            value = words[holds] + rows_against(rules, tables, table, text)
            findings.add(kinds.EXPECTATION, None, table=table, text=text, value=value)


def _shown(path: Path) -> str:
    """A path as a person at the prompt would write it: the folder of a `protocol.yaml`, relative where it is below."""
    path = path.parent if path.name == "protocol.yaml" else path
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)


def _difference(name: str, there: Mapping[str, str], due: Mapping[str, str]) -> str:
    if name not in there:
        return f"{name} is lacking"
    return f"{name} differs" if name in due else f"{name} is not part of it"
