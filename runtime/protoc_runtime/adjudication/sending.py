"""Sheets as files: out to raters, and back filled in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType

from protoc_runtime import bundle
from protoc_runtime.adjudication import keeping
from protoc_runtime.adjudication.facts import EXPORTED, SHOWN
from protoc_runtime.adjudication.parts import Part, before, parts, raters
from protoc_runtime.adjudication.parts import recorded as is_recorded
from protoc_runtime.adjudication.sheets import Line, sheet_bytes, sheet_lines, with_ends, worksheet
from protoc_runtime.adjudication.stages import FOLDER, Stage, recorded, sheet_file, told
from protoc_runtime.canonical import digest_bytes, read_plain
from protoc_runtime.catalogue import adjudication as kinds
from protoc_runtime.catalogue import room as room_kinds
from protoc_runtime.diagnostics import Diagnostic, Findings, Refused
from protoc_runtime.outputs import adjudication_name
from protoc_runtime.record import record
from protoc_runtime.scanning import scan_bytes
from protoc_runtime.securing import loaded

# --- out ------------------------------------------------------------------------------------------------------------


@record
class Exported:
    """What was written: sheets with their number of rows, and judgements that wait for others."""

    files: tuple[Path, ...]
    rows: Mapping[str, int]
    waiting: tuple[str, ...]


def export(stage: Stage, into: Path, rater: str = "") -> Exported:
    """Write the sheets that can be filled now (of one rater, or of all), and a page per rater that shows them. Where a
    stage or a fact rests on it, it is recorded first that they are shown. Raises `Refused`: E1817 where a file is there
    already, E1212, E2624."""
    require_rater(stage, rater)
    known = recorded(stage)
    due: dict[Part, list[Line]] = {}
    waiting = []
    for part in stage.turns:
        if part.name in stage.sheets or (rater and part.rater != rater):
            continue
        if set(before(stage.declared, part)) - set(stage.sheets):
            waiting.append(part.name)
            continue
        due[part] = sheet_lines(stage.declared, stage.rules, known.tables, stage.digests, part)
    files = _files(stage, due)
    there = [into / name for name in files if (into / name).exists()]
    if there:
        raise Refused([Findings().add(kinds.SHEET_EXISTS, None, path=path) for path in there])
    if due and is_recorded(stage.declared):
        _record(stage, due)
    try:
        bundle.put(into, files)
    except OSError as error:
        raise bundle.cannot_write(into, error) from None
    counts = {part.name: len(lines) for part, lines in due.items()}
    return Exported(tuple(into / name for name in files), counts, tuple(waiting))


def require_rater(stage: Stage, rater: str) -> None:
    """Raise `Refused` (E2624) where the protocol knows nobody of that name."""
    known = [name for name in raters(stage.declared) if name]
    if rater and rater not in known:
        words = f"it has {', '.join(known)}" if known else "it names none"
        raise Refused([Findings().add(room_kinds.NO_RATER, None, name=rater, known=words)])


def _files(stage: Stage, due: Mapping[Part, list[Line]]) -> dict[str, bytes]:
    """The sheets, and for each rater a page with theirs and nobody else's."""
    files = {f"{part.name}.jsonl": sheet_bytes(lines) for part, lines in due.items()}
    name = Path(adjudication_name(stage.declared))
    for rater in dict.fromkeys(part.rater for part in due):
        own = {part: list(map(with_ends, lines)) for part, lines in due.items() if part.rater == rater}
        files[f"{name.stem}.{rater}{name.suffix}" if rater else name.name] = worksheet(
            stage.declared.title, own
        ).encode()
    return files


def _record(stage: Stage, due: Iterable[Part]) -> None:
    with keeping.open_ledger(stage) as ledger:
        for part in due:
            ledger.append(EXPORTED, {"judgement": part.judgement.name, "rater": part.rater})


# --- in -------------------------------------------------------------------------------------------------------------


@record
class Imported:
    """What was taken: judgements that are new, those that were in already, and those that are still asked for."""

    taken: tuple[str, ...]
    before: tuple[str, ...]
    waiting: tuple[str, ...]


def import_sheets(stage: Stage, source: Path) -> Imported:
    """Take every sheet of a folder, or none. Raises `Refused` with all faults (E18xx, E26xx, E10xx)."""
    given = _given(stage, source)
    findings = Findings()
    for name, data in given.items():
        if name in stage.sheets and data != stage.sheets[name]:
            earlier, now = digest_bytes(stage.sheets[name])[:12], digest_bytes(data)[:12]
            findings.add(kinds.TOLD_ALREADY, None, name=name, before=earlier, now=now)
    new = {name: data for name, data in given.items() if name not in stage.sheets}
    files = {name: str(source / f"{name}.jsonl") for name in given}
    take(stage, new, files, findings)
    waiting = [part.name for part in stage.turns if part.name not in {*stage.sheets, *new}]
    return Imported(tuple(new), tuple(name for name in given if name in stage.sheets), tuple(waiting))


def take(stage: Stage, new: Mapping[str, bytes], files: Mapping[str, str], findings: Findings) -> None:
    """Check new sheets with those that are in, keep them, and close the stage with the last one."""
    names = {name: files.get(name, f"{FOLDER}/{sheet_file(name)}") for name in {*stage.sheets, *new}}
    made = told(stage, {**stage.sheets, **new}, names, findings)
    findings.extend(secrets(new, files, loaded(stage.declared)))
    findings.extend(_never_shown(stage, new))
    if findings.failed:
        raise Refused(findings.sorted())
    if new or (stage.complete and not stage.closed):  # an import may have ended before it closed the stage
        with keeping.open_ledger(stage) as ledger:
            keeping.keep(stage, ledger, new, made)
        after = keeping.with_sheets(stage, new)
        if after.complete:
            keeping.close(after, made)


def _given(stage: Stage, source: Path) -> dict[str, bytes]:
    names = [part.name for part in parts(stage.declared)]
    found = {name: source / f"{name}.jsonl" for name in names if (source / f"{name}.jsonl").is_file()}
    if not found:
        reason = f"there is no {' or '.join(f'{name}.jsonl' for name in names)}"
        raise Refused([Findings().add(kinds.NO_SHEET, None, path=source, reason=reason)])
    return {name: read_plain(path) for name, path in found.items()}


def _never_shown(stage: Stage, new: Iterable[str]) -> Iterable[Diagnostic]:
    findings = Findings()
    if is_recorded(stage.declared):
        shown = {(e.body["judgement"], e.body["rater"]) for e in stage.events() if e.kind in (EXPORTED, SHOWN)}
        for part in parts(stage.declared):
            if part.name in new and (part.judgement.name, part.rater) not in shown:
                findings.add(room_kinds.NOT_SHOWN, None, name=part.name)
    return findings


def secrets(
    sheets: Mapping[str, bytes], files: Mapping[str, str], known: Mapping[str, str] = MappingProxyType({})
) -> Iterable[Diagnostic]:
    """Whatever looks like a credential in what was told (E1816); `known` are those that are loaded here."""
    findings = Findings()
    for name, data in sheets.items():
        for found in scan_bytes(data, files[name], known):
            findings.add(kinds.SECRET_IN_RECEIPT, None, found=found.told(), where="sheets")
    return findings
