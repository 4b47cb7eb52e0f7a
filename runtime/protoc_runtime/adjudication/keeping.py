"""Taking sheets into the second stage of a bundle, and closing it once the last one is in.

Sheet and rows are on the disk before the ledger of the stage has the event of their import.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from protoc_runtime import bundle
from protoc_runtime.adjudication.agreement import agreement
from protoc_runtime.adjudication.facts import JUDGED
from protoc_runtime.adjudication.parts import Part, part_name, parts, parts_of, told_wholly
from protoc_runtime.adjudication.sheets import Line, worksheet
from protoc_runtime.adjudication.stages import FOLDER, OPEN, Stage, Told, sheet_file, with_facts
from protoc_runtime.canonical import digest_bytes, digest_file, read_plain, sync_folder
from protoc_runtime.catalogue import ledger as ledger_kinds
from protoc_runtime.diagnostics import Findings, Refused
from protoc_runtime.ledger import Ledger
from protoc_runtime.ledger_file import read_tip
from protoc_runtime.outputs import adjudication_name
from protoc_runtime.procedure import Judgement
from protoc_runtime.record import replace
from protoc_runtime.review_facts import tables
from protoc_runtime.seal_format import STATEMENT
from protoc_runtime.written import row_files

STARTED = "adjudication_started"
PREDICATE = "urn:evalprotoc:adjudication:1"


def open_ledger(stage: Stage) -> Ledger:
    """The ledger of a stage that is open, begun where it is new. Raises `Refused` (E15xx), also (E1502) where somebody
    has saved a part since the stage was read: what is saved is never saved again."""
    place = stage.folder / OPEN
    if stage.closed:
        raise Refused([Findings().add(ledger_kinds.BUSY, None, path=place / bundle.LEDGER)])
    place.mkdir(exist_ok=True)
    ledger = Ledger.open(place / bundle.LEDGER)
    judged = [event.body for event in ledger.events() if event.kind == JUDGED]
    if {part_name(body["judgement"], body.get("rater", "")) for body in judged} != set(stage.sheets):
        ledger.close()
        raise Refused([Findings().add(ledger_kinds.BUSY, None, path=place / bundle.LEDGER)])
    ledger.not_before(str(stage.opened.predicate["run"]["finished"]))
    if ledger.length == 0:
        receipt = digest_file(stage.folder / bundle.RECEIPT)
        ledger.append(STARTED, {"run": stage.opened.predicate["run"]["name"], "receipt": receipt})
    return ledger


def keep(stage: Stage, ledger: Ledger, new: Mapping[str, bytes], made: Told, **more: Any) -> None:
    """Write new sheets and the rows that follow, and record them; `more` stands in each event."""
    place = stage.folder / OPEN
    there = set(stage.sheets)
    for part in parts(stage.declared):
        if part.name in new:
            there.add(part.name)
            files = {sheet_file(part.name): new[part.name]}
            if told_wholly(part.judgement, there):
                rows = f"{bundle.ROWS}/{part.judgement.fills}.jsonl"
                files[rows] = row_files(stage.declared, made.tables)[rows]
            bundle.put(place, files)
            digests = dict(zip(("sheet", "rows"), map(digest_bytes, files.values()), strict=False))
            rater = {"rater": part.rater} if part.rater else {}
            ledger.append(JUDGED, {"judgement": part.judgement.name, **rater, **digests, **more})


def close(stage: Stage, made: Told) -> None:
    """Close the stage; every sheet is in, and its ledger is let go of."""
    place = stage.folder / OPEN
    made = with_facts(stage, made)
    files = row_files(stage.declared, made.tables)
    facts = [f"{bundle.ROWS}/{table.name}.jsonl" for table in tables(stage.declared)]
    bundle.put(place, {adjudication_name(stage.declared): page(stage, made), **{name: files[name] for name in facts}})
    _, manifest = bundle.seal_off(place)
    receipt = statement(stage, made, place, manifest)
    rendering = render(receipt["predicate"]).encode()
    bundle.put(place, {bundle.RECEIPT: bundle.in_order(receipt), bundle.RENDERING: rendering})
    os.rename(place, stage.folder / FOLDER)
    sync_folder(stage.folder)


def with_sheets(stage: Stage, new: Mapping[str, bytes]) -> Stage:
    """The stage with sheets that were just taken."""
    return replace(stage, sheets={**stage.sheets, **new})


def lines_by_part(stage: Stage, made: Told) -> dict[Part, list[Line]]:
    """What was told, in turn."""
    return {part: made.lines[part.name] for part in parts(stage.declared)}


def page(stage: Stage, made: Told) -> bytes:
    """The worksheet with what was told."""
    return worksheet(stage.declared.title, lines_by_part(stage, made)).encode()


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
    """What each judgement came to, who told it, and how far several agree."""
    return [_judged(stage, judgement, made) for judgement in stage.declared.judgements]


def _judged(stage: Stage, judgement: Judgement, made: Told) -> dict[str, Any]:
    lines = {part.rater: made.lines[part.name] for part in parts_of(judgement)}
    every = [line for of_rater in lines.values() for line in of_rater]
    told: dict[str, Any] = {
        "judgement": judgement.name,
        "rows": len(next(iter(lines.values()))),
        "labels": _labels(judgement, every),
        "adjudicators": sorted({line["adjudicator"] for line in every}),
        "grade": "attested",
    }
    sheets = {part.rater: digest_bytes(_sheet(stage, part)) for part in parts_of(judgement)}
    if not judgement.raters:
        return told | {"sheet": sheets[""]}
    told["sheets"] = sheets
    return told | ({"agreement": agreement(judgement, lines)} if len(lines) > 1 else {})


def _labels(judgement: Judgement, lines: list[Line]) -> dict[str, int]:
    given = [mark["label"] for line in lines for mark in line["marks"]] if judgement.marks else None
    given = [line["label"] for line in lines] if given is None else given
    labels = [label for label, _ in judgement.labels] or sorted(set(given))
    return {label: given.count(label) for label in labels}


def _sheet(stage: Stage, part: Part) -> bytes:
    return stage.sheets.get(part.name) or read_plain(stage.place / sheet_file(part.name))


def render(predicate: Mapping[str, Any]) -> str:
    """The page of the second stage's receipt."""
    from protoc_runtime.rendering import escape, judgements

    lines = [f"# Adjudication of `{predicate['run']}`", ""]
    protocol = predicate["protocol"]
    lines += [f"- Protocol {escape(protocol['id'])} version {protocol['version']}, `{protocol['spec_digest']}`"]
    lines += [f"- Receipt of the run: `{predicate['stages']['run']}`", f"- Manifest: `{predicate['manifest']}`", ""]
    return "\n".join([*lines, *judgements(dict(predicate))])
