"""The second stage of a bundle: the sheets as they were given, and the rows that follow from them.

Sheets come in one by one where one follows from another; until the last is in, the stage is `adjudication.unfinished/`.
Its ledger has one event per sheet, written when sheet and rows are on the disk. Nothing of the first stage is written.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from protoc_runtime import bundle
from protoc_runtime.adjudication.facts import JUDGED, fact_rows
from protoc_runtime.adjudication.importing import check_sheet, filled_rows
from protoc_runtime.adjudication.parts import Part, before, part_name, parts, parts_of, told_wholly
from protoc_runtime.adjudication.sheets import Line, sheet_lines
from protoc_runtime.adjudication.times import window
from protoc_runtime.canonical import read_plain
from protoc_runtime.catalogue import adjudication as kinds
from protoc_runtime.chain import Line as Event
from protoc_runtime.declared import Declared
from protoc_runtime.diagnostics import Findings, Refused
from protoc_runtime.gathering import Tables, with_rows
from protoc_runtime.ledger_file import read_events
from protoc_runtime.opened import Opened, load_digests, open_bundle
from protoc_runtime.packages import load_protocol, load_rules
from protoc_runtime.record import record, replace
from protoc_runtime.strict_json import parsed
from protoc_runtime.verdict_words import spoken
from protoc_runtime.written import read_bundle

FOLDER, OPEN, VERDICT = bundle.STAGES


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
        """Whether every judgement is in, of every rater."""
        return set(self.sheets) == {part.name for part in parts(self.declared)}

    @property
    def turns(self) -> tuple[Part, ...]:
        """Every part as people meet them: in the order of the protocol, where nothing else decides."""
        return parts(self.declared, tuple(self.rules.rules.sheets))

    @property
    def place(self) -> Path:
        """The folder of the second stage, as it is named now."""
        return self.folder / (FOLDER if self.closed else OPEN)

    def events(self) -> list[Event]:
        """What the ledger of the second stage has so far."""
        ledger = self.place / bundle.LEDGER
        return list(read_events(ledger)) if ledger.is_file() else []

    @property
    def closed(self) -> bool:
        """Whether the stage is closed."""
        return (self.folder / FOLDER).is_dir()


@record
class Told:
    """What sheets give: the tables of the run with those that people fill, and the lines of each part."""

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
    names = [part_name(body["judgement"], body.get("rater", "")) for body in judged]
    return {name: read_plain(place / sheet_file(name)) for name in names}


def sheet_file(name: str) -> str:
    """Where the sheet of a part stands in its stage."""
    return f"sheets/{name}.jsonl"


def told(stage: Stage, sheets: Mapping[str, bytes], files: Mapping[str, str], findings: Findings) -> Told:
    """Every sheet checked in turn, and its rows beside those of the run; `files` name the sheets in messages. In sheets
    that are not in yet nothing was judged before it could be seen, or later than now.

    A sheet that follows from a faulty one is not looked at.
    """
    tables, lines = dict(stage.tables), dict[str, list[Line]]()
    for part in parts(stage.declared):
        if part.name not in sheets:
            continue
        needed = before(stage.declared, part)
        lacking = [name for name in needed if name not in sheets]
        if lacking:
            findings.add(kinds.WAITS, None, name=part.name, after=" and ".join(lacking))
        if any(name not in lines for name in needed):
            continue
        due = sheet_lines(stage.declared, stage.rules, tables, stage.digests, part)
        own = Findings()
        finished = stage.opened.predicate["run"]["finished"]
        times = None if part.name in stage.sheets else window(part, needed, finished, stage.events())
        given = check_sheet(part, due, sheets[part.name], files[part.name], own, times)
        findings.extend(own)
        if not own.failed:
            lines[part.name] = given
            if told_wholly(part.judgement, lines):
                of_all = [line for each in parts_of(part.judgement) for line in lines[each.name]]
                rows = {part.judgement.fills: filled_rows(stage.declared, part.judgement, of_all)}
                tables = with_rows(stage.declared, tables, rows)
    return Told(tables, lines)


def recorded(stage: Stage) -> Told:
    """What the sheets that are in give, and once all are in, what is recorded of them. Raises `Refused` where one of
    them was changed."""
    findings = Findings()
    names = {name: f"{FOLDER}/{sheet_file(name)}" for name in stage.sheets}
    made = told(stage, stage.sheets, names, findings)
    if findings.failed:
        raise Refused(findings.sorted())
    return with_facts(stage, made) if stage.complete else made


def with_facts(stage: Stage, made: Told) -> Told:
    """The tables of recorded facts beside what was told; the ledger has the import of every part."""
    ledger = stage.place / bundle.LEDGER
    rows = fact_rows(stage.declared, made.lines, read_events(ledger)) if ledger.is_file() else {}
    return replace(made, tables=with_rows(stage.declared, made.tables, rows)) if rows else made


def load_receipt(folder: Path) -> dict[str, Any]:
    """The receipt of a later stage."""
    made: dict[str, Any] = parsed(read_plain(folder / bundle.RECEIPT))
    return made


def final_verdict(folder: Path) -> str:
    """The verdict of the third stage, or "" where there is none yet."""
    path = folder / VERDICT / bundle.SUMMARY
    return spoken(parsed(read_plain(path))["verdict"]) if path.is_file() else ""
