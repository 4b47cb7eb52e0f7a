"""The second stage of a bundle: the sheets as they were given, and the rows that follow from them.

Sheets come in one by one where one follows from another; until the last is in, the stage is `adjudication.unfinished/`.
Its ledger has one event per sheet, written when sheet and rows are on the disk. Nothing of the first stage is written.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from protoc_runtime import bundle
from protoc_runtime.adjudication.importing import check_sheet, filled_rows
from protoc_runtime.adjudication.sheets import Line, sheet_bytes, sheet_lines, worksheet
from protoc_runtime.canonical import digest_bytes, digest_file, read_plain, sync_folder
from protoc_runtime.catalogue import adjudication as kinds
from protoc_runtime.declared import Declared
from protoc_runtime.diagnostics import Diagnostic, Findings, Refused
from protoc_runtime.gathering import Tables, with_rows
from protoc_runtime.ledger import Ledger
from protoc_runtime.ledger_file import read_events, read_tip
from protoc_runtime.opened import Opened, load_digests, open_bundle
from protoc_runtime.outputs import adjudication_name
from protoc_runtime.packages import load_protocol, load_rules
from protoc_runtime.procedure import Judgement
from protoc_runtime.record import record
from protoc_runtime.scanning import scan_bytes
from protoc_runtime.seal_format import STATEMENT
from protoc_runtime.written import read_bundle, row_files

FOLDER, OPEN, VERDICT = bundle.STAGES
STARTED, JUDGED = "adjudication_started", "sheet_imported"
PREDICATE = "urn:evalprotoc:adjudication:1"


@record
class Stage:
    """A run that people judge: its bundle, its protocol and rules, its rows, and the sheets that are in."""

    opened: Opened
    declared: Declared
    rules: ModuleType
    tables: Tables
    digests: Mapping[str, str]
    sheets: Mapping[str, bytes]

    @property
    def folder(self) -> Path:
        """The folder of the run."""
        return self.opened.folder

    @property
    def complete(self) -> bool:
        """Whether every judgement is in."""
        return set(self.sheets) == {judgement.name for judgement in self.declared.judgements}

    @property
    def closed(self) -> bool:
        """Whether the stage is closed."""
        return (self.folder / FOLDER).is_dir()


@record
class Told:
    """What sheets give: the tables of the run with those that people fill, and the lines of each judgement."""

    tables: Tables
    lines: Mapping[str, list[Line]]


def open_stage(folder: Path) -> Stage:
    """A finished run with the sheets that are in. Raises `Refused`: E1401, E1801, E1501, E10xx."""
    opened = open_bundle(folder)
    package = folder / bundle.PACKAGE
    declared = load_protocol(package)
    if not declared.judgements:
        raise Refused([Findings().add(kinds.NO_JUDGEMENTS, None, path=folder)])
    tables = read_bundle(declared, folder / bundle.ROWS)
    return Stage(opened, declared, load_rules(package), tables, load_digests(folder), _sheets(folder))


def _sheets(folder: Path) -> dict[str, bytes]:
    """The sheets of which the ledger has the import."""
    place = folder / (FOLDER if (folder / FOLDER).is_dir() else OPEN)
    ledger = place / bundle.LEDGER
    if not ledger.is_file():
        return {}
    judged = [event.body for event in read_events(ledger) if event.kind == JUDGED]
    return {body["judgement"]: read_plain(place / sheet_file(body["judgement"])) for body in judged}


def sheet_file(name: str) -> str:
    """Where the sheet of a judgement stands in its stage."""
    return f"sheets/{name}.jsonl"


def in_turn(declared: Declared) -> Iterator[Judgement]:
    """The judgements, each behind those that it follows from."""
    done: set[str] = set()
    waiting = list(declared.judgements)
    while waiting:
        judgement = next(one for one in waiting if done >= set(one.after))
        waiting.remove(judgement)
        done.add(judgement.name)
        yield judgement


def told(stage: Stage, sheets: Mapping[str, bytes], files: Mapping[str, str], findings: Findings) -> Told:
    """Every sheet checked in turn, and its rows beside those of the run; `files` name the sheets in messages.

    A sheet that follows from a faulty one is not looked at.
    """
    tables, lines = dict(stage.tables), {}
    for judgement in in_turn(stage.declared):
        if judgement.name not in sheets:
            continue
        lacking = [name for name in judgement.after if name not in sheets]
        if lacking:
            findings.add(kinds.WAITS, None, name=judgement.name, after=" and ".join(lacking))
        if any(name not in lines for name in judgement.after):
            continue
        due = sheet_lines(stage.declared, stage.rules, tables, stage.digests, judgement)
        own = Findings()
        given = check_sheet(judgement, due, sheets[judgement.name], files[judgement.name], own)
        findings.extend(own)
        if not own.failed:
            lines[judgement.name] = given
            rows = {judgement.fills: filled_rows(stage.declared, judgement, given)}
            tables = with_rows(stage.declared, tables, rows)
    return Told(tables, lines)


def recorded(stage: Stage) -> Told:
    """What the sheets that are in give. Raises `Refused` where one of them was changed."""
    findings = Findings()
    names = {name: f"{FOLDER}/{sheet_file(name)}" for name in stage.sheets}
    made = told(stage, stage.sheets, names, findings)
    if findings.failed:
        raise Refused(findings.sorted())
    return made


# --- out ------------------------------------------------------------------------------------------------------------


@record
class Exported:
    """What was written: sheets with their number of rows, and judgements that wait for others."""

    files: tuple[Path, ...]
    rows: Mapping[str, int]
    waiting: tuple[str, ...]


def export(stage: Stage, into: Path) -> Exported:
    """Write the sheets that can be filled now, and the page that shows them. Raises `Refused`: E1817 where a file is
    there already, E1212."""
    known = recorded(stage)
    due, waiting = {}, []
    for judgement in in_turn(stage.declared):
        if judgement.name in stage.sheets:
            continue
        if set(judgement.after) - set(stage.sheets):
            waiting.append(judgement.name)
            continue
        due[judgement] = sheet_lines(stage.declared, stage.rules, known.tables, stage.digests, judgement)
    files = {f"{judgement.name}.jsonl": sheet_bytes(lines) for judgement, lines in due.items()}
    if due:
        files[adjudication_name(stage.declared)] = worksheet(stage.declared.title, due).encode()
    there = [into / name for name in files if (into / name).exists()]
    if there:
        raise Refused([Findings().add(kinds.SHEET_EXISTS, None, path=path) for path in there])
    try:
        bundle.put(into, files)
    except OSError as error:
        raise bundle.cannot_write(into, error) from None
    counts = {judgement.name: len(lines) for judgement, lines in due.items()}
    return Exported(tuple(into / name for name in files), counts, tuple(waiting))


# --- in -------------------------------------------------------------------------------------------------------------


@record
class Imported:
    """What was taken: judgements that are new, those that were in already, and those that are still asked for."""

    taken: tuple[str, ...]
    before: tuple[str, ...]
    waiting: tuple[str, ...]


def import_sheets(stage: Stage, source: Path) -> Imported:
    """Take every sheet of a folder, or none. Raises `Refused` with all faults (E18xx, E10xx)."""
    given = _given(stage, source)
    findings = Findings()
    for name, data in given.items():
        if name in stage.sheets and data != stage.sheets[name]:
            before, now = digest_bytes(stage.sheets[name])[:12], digest_bytes(data)[:12]
            findings.add(kinds.TOLD_ALREADY, None, name=name, before=before, now=now)
    new = {name: data for name, data in given.items() if name not in stage.sheets}
    files = {name: str(source / f"{name}.jsonl") for name in given}
    names = {name: files.get(name, f"{FOLDER}/{sheet_file(name)}") for name in {*stage.sheets, *new}}
    made = told(stage, {**stage.sheets, **new}, names, findings)
    findings.extend(_secrets(new, files))
    if findings.failed:
        raise Refused(findings.sorted())
    if new or (stage.complete and not stage.closed):  # an import may have ended before it closed the stage
        _keep(stage, new, made)
    waiting = [judgement.name for judgement in in_turn(stage.declared) if judgement.name not in {*stage.sheets, *new}]
    return Imported(tuple(new), tuple(name for name in given if name in stage.sheets), tuple(waiting))


def _given(stage: Stage, source: Path) -> dict[str, bytes]:
    names = [judgement.name for judgement in stage.declared.judgements]
    found = {name: source / f"{name}.jsonl" for name in names if (source / f"{name}.jsonl").is_file()}
    if not found:
        reason = f"there is no {' or '.join(f'{name}.jsonl' for name in names)}"
        raise Refused([Findings().add(kinds.NO_SHEET, None, path=source, reason=reason)])
    return {name: read_plain(path) for name, path in found.items()}


def _secrets(sheets: Mapping[str, bytes], files: Mapping[str, str]) -> Iterable[Diagnostic]:
    findings = Findings()
    for name, data in sheets.items():
        for found in scan_bytes(data, files[name], {}):
            findings.add(kinds.SECRET_IN_RECEIPT, None, found=found.told(), where="sheets")
    return findings


def _keep(stage: Stage, new: Mapping[str, bytes], made: Told) -> None:
    place = stage.folder / OPEN
    place.mkdir(exist_ok=True)
    with Ledger.open(place / bundle.LEDGER) as ledger:
        ledger.not_before(str(stage.opened.predicate["run"]["finished"]))
        if ledger.length == 0:
            receipt = digest_file(stage.folder / bundle.RECEIPT)
            ledger.append(STARTED, {"run": stage.opened.predicate["run"]["name"], "receipt": receipt})
        for judgement in stage.declared.judgements:
            if judgement.name in new:
                files = _files(stage, judgement, new[judgement.name], made)
                bundle.put(place, files)
                sheet, rows = map(digest_bytes, files.values())
                ledger.append(JUDGED, {"judgement": judgement.name, "sheet": sheet, "rows": rows})
    if len(made.lines) == len(stage.declared.judgements):
        _close(stage, place, made)


def _files(stage: Stage, judgement: Judgement, sheet: bytes, made: Told) -> dict[str, bytes]:
    rows = f"{bundle.ROWS}/{judgement.fills}.jsonl"
    return {sheet_file(judgement.name): sheet, rows: row_files(stage.declared, made.tables)[rows]}


def _close(stage: Stage, place: Path, made: Told) -> None:
    bundle.put(place, {adjudication_name(stage.declared): page(stage, made)})
    _, manifest = bundle.seal_off(place)
    receipt = statement(stage, made, place, manifest)
    rendering = render(receipt["predicate"]).encode()
    bundle.put(place, {bundle.RECEIPT: bundle.in_order(receipt), bundle.RENDERING: rendering})
    os.rename(place, stage.folder / FOLDER)
    sync_folder(stage.folder)


def page(stage: Stage, made: Told) -> bytes:
    """The worksheet with what was told."""
    sheets = {judgement: made.lines[judgement.name] for judgement in in_turn(stage.declared)}
    return worksheet(stage.declared.title, sheets).encode()


def statement(stage: Stage, made: Told, place: Path, manifest: str) -> dict[str, Any]:
    """The in-toto Statement of the second stage; it names the receipt of the first."""
    tip, _ = read_tip(place / bundle.LEDGER)
    predicate = {
        "protocol": {"id": stage.declared.id, "version": stage.declared.version, "spec_digest": stage.declared.digest},
        "run": stage.opened.predicate["run"]["name"],
        "stages": {"run": digest_file(stage.folder / bundle.RECEIPT)},
        "judgements": judged(stage, made),
        "ledger": {"length": tip.length, "head": tip.head, "root": tip.tree.root()},
        "manifest": manifest,
    }
    subject = [{"name": bundle.MANIFEST, "digest": {"sha256": manifest}}]
    return {"_type": STATEMENT, "subject": subject, "predicateType": PREDICATE, "predicate": predicate}


def judged(stage: Stage, made: Told) -> list[dict[str, Any]]:
    """What each judgement came to, and who told it."""
    return [
        {
            "judgement": judgement.name,
            "rows": len(made.lines[judgement.name]),
            "labels": {
                label: sum(line["label"] == label for line in made.lines[judgement.name])
                for label, _ in judgement.labels
            },
            "adjudicators": sorted({line["adjudicator"] for line in made.lines[judgement.name]}),
            "grade": "attested",
            "sheet": digest_bytes(stage.sheets.get(judgement.name) or _now(stage, judgement.name)),
        }
        for judgement in stage.declared.judgements
    ]


def _now(stage: Stage, name: str) -> bytes:
    place = stage.folder / (FOLDER if stage.closed else OPEN)
    return read_plain(place / sheet_file(name))


def render(predicate: Mapping[str, Any]) -> str:
    """The page of the second stage's receipt."""
    from protoc_runtime.rendering import escape, judgements

    lines = [f"# Adjudication of `{predicate['run']}`", ""]
    protocol = predicate["protocol"]
    lines += [f"- Protocol {escape(protocol['id'])} version {protocol['version']}, `{protocol['spec_digest']}`"]
    lines += [f"- Receipt of the run: `{predicate['stages']['run']}`", f"- Manifest: `{predicate['manifest']}`", ""]
    return "\n".join([*lines, *judgements(dict(predicate))])


def load_receipt(folder: Path) -> dict[str, Any]:
    """The receipt of a later stage."""
    made: dict[str, Any] = json.loads(read_plain(folder / bundle.RECEIPT))
    return made


def final_verdict(folder: Path) -> str:
    """The verdict of the third stage, or "" where there is none yet."""
    path = folder / VERDICT / bundle.SUMMARY
    return str(json.loads(read_plain(path))["verdict"]) if path.is_file() else ""
