"""Whether the later stages of a bundle hold: each file, each receipt, the rows from the sheets, the final verdict."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from protoc_runtime import bundle, outputs
from protoc_runtime.adjudication import keeping, stages
from protoc_runtime.adjudication.facts import JUDGED
from protoc_runtime.adjudication.marks import text_of
from protoc_runtime.adjudication.parts import part_name
from protoc_runtime.adjudication.sheets import sheet_bytes
from protoc_runtime.adjudication.stages import FOLDER, OPEN, VERDICT, Stage, Told, open_stage, recorded
from protoc_runtime.adjudication.verdict import contents
from protoc_runtime.canonical import digest_bytes, digest_file, read_plain
from protoc_runtime.catalogue import bundle as kinds
from protoc_runtime.catalogue.ledger import TORN
from protoc_runtime.catalogue.room import DRAFT_DIFFERS
from protoc_runtime.declared import Declared
from protoc_runtime.diagnostics import Findings
from protoc_runtime.ledger_file import read_events, read_tip
from protoc_runtime.registry import decisions
from protoc_runtime.rendering import render
from protoc_runtime.review_facts import tables
from protoc_runtime.room.drafts import Drafts
from protoc_runtime.securing import same
from protoc_runtime.verdict_words import spoken, word_of
from protoc_runtime.written import row_files


def check_stages(folder: Path, declared: Declared, findings: Findings) -> None:
    """Every fault of the stages that are there. Runs the rules of the bundle."""
    there = [name for name in (*bundle.STAGES, bundle.DECIDING) if (folder / name).exists()]
    if not declared.judgements:
        for name in there:
            findings.add(kinds.FILE_ADDED, None, file=name)
        return
    if not there:
        return
    if VERDICT in there and FOLDER not in there:
        findings.add(kinds.FILE_MISSING, None, file=FOLDER)
        return
    for name in there:
        for path in bundle.files_of(folder / name) if _is_over(name, there) else ():
            findings.add(kinds.FILE_ADDED, None, file=path.relative_to(folder).as_posix())
    late = outputs.outside(declared)
    for name, outside in ((FOLDER, bundle.OUTSIDE), (VERDICT, late)):
        if name in there:
            _files(folder, name, outside, findings)
    if not findings.failed:
        stage = open_stage(folder)
        made = recorded(stage)
        _sheets(stage, made, findings)
        if VERDICT in there:
            _verdict(stage, made, findings)


def _is_over(name: str, there: Collection[str]) -> bool:
    """Whether a folder is that of a stage which has been closed since, under another name, or cannot have begun."""
    if name == OPEN:
        return FOLDER in there
    return name == bundle.DECIDING and (VERDICT in there or FOLDER not in there)


def _files(folder: Path, name: str, outside: frozenset[str], findings: Findings) -> None:
    """A stage against its manifest, and the manifest against its receipt."""
    place = folder / name
    data = read_plain(place / bundle.MANIFEST)
    receipt = stages.load_receipt(place)
    named = {receipt["predicate"]["manifest"]} | {entry["digest"]["sha256"] for entry in receipt["subject"]}
    if named != {digest_bytes(data)}:
        _differs(findings, f"the digest of {name}/{bundle.MANIFEST}", ", ".join(sorted(named)), digest_bytes(data))
        return
    for file, target in bundle.links(place, outside).items():
        _differs(findings, f"{name}/{file}", "a file of the bundle", f"a link to {target}")
    stated, there = json.loads(data)["files"], bundle.manifest(place, outside)["files"]
    for file in sorted({*stated, *there}):
        shown = f"{name}/{file}"
        if file not in there:
            findings.add(kinds.FILE_MISSING, None, file=shown)
        elif file not in stated:
            findings.add(kinds.FILE_ADDED, None, file=shown)
        elif stated[file] != there[file]:
            found, expected = there[file]["sha256"][:12], stated[file]["sha256"][:12]
            findings.add(kinds.FILE_CHANGED, None, file=shown, found=found, expected=expected)
    if bundle.in_order(receipt) != read_plain(place / bundle.RECEIPT):
        _differs(findings, f"the form of {name}/{bundle.RECEIPT}", "as it is written", "another")


def _sheets(stage: Stage, made: Told, findings: Findings) -> None:
    """The second stage: its chain, the digests in it, rows from sheets, and, once it is closed, receipt and page."""
    place = stage.place
    _, faults = read_tip(place / bundle.LEDGER)
    findings.extend(fault for fault in faults if stage.closed or fault.kind is not TORN)  # who opens it next mends it
    if findings.failed:
        return
    rows = row_files(stage.declared, made.tables)
    drafts = Drafts()
    for event in read_events(place / bundle.LEDGER):
        drafts.take(event.kind, event)
        if event.kind == keeping.STARTED and event.body["receipt"] != digest_file(stage.folder / bundle.RECEIPT):
            _differs(findings, f"the receipt that {place.name} follows", event.body["receipt"], "another")
        if event.kind == JUDGED:
            _imported(stage, place, event.body, rows, findings)
            if "by" in event.body:
                _from_steps(stage, made, event.body, drafts, findings)
    if stage.closed:
        _closed(stage, made, place, findings)


def _imported(
    stage: Stage, place: Path, body: Mapping[str, Any], rows: Mapping[str, bytes], findings: Findings
) -> None:
    """One sheet that came in, and the rows from it and its like, against the event of the import."""
    judgement = next(each for each in stage.declared.judgements if each.name == body["judgement"])
    files = {"sheet": stages.sheet_file(part_name(judgement.name, body.get("rater", "")))}
    if "rows" in body:
        files["rows"] = f"{bundle.ROWS}/{judgement.fills}.jsonl"
    for part, file in files.items():
        found = digest_file(place / file)
        if found != body[part] or (part == "rows" and read_plain(place / file) != rows[file]):
            expected = body[part][:12]
            findings.add(kinds.FILE_CHANGED, None, file=f"{place.name}/{file}", found=found[:12], expected=expected)


def _from_steps(stage: Stage, made: Told, body: Mapping[str, Any], drafts: Drafts, findings: Findings) -> None:
    """A sheet that was told in the room is what its rater's steps come to."""
    name = part_name(body["judgement"], body.get("rater", ""))
    judgement = next(each for each in stage.declared.judgements if each.name == body["judgement"])
    lines = made.lines[name]
    texts = {at: text_of(judgement, line["sees"]) for at, line in enumerate(lines)} if judgement.marks else {}
    try:
        due = sheet_bytes(drafts.sheet(name, lines, texts, marks=bool(judgement.marks)))
    except (KeyError, IndexError):
        due = b""
    if due != stage.sheets[name]:
        findings.add(DRAFT_DIFFERS, None, name=f"{stage.place.name}/{stages.sheet_file(name)}")


def _closed(stage: Stage, made: Told, place: Path, findings: Findings) -> None:
    stated = stages.load_receipt(place)
    _same(findings, FOLDER, stated, keeping.statement(stage, made, place, stated["predicate"]["manifest"]))
    _same_page(findings, FOLDER, place / bundle.RENDERING, keeping.render(stated["predicate"]).encode())
    worksheet = place / outputs.adjudication_name(stage.declared)
    if read_plain(worksheet) != keeping.page(stage, made):
        _differs(findings, f"{FOLDER}/{worksheet.name}", "what follows from the sheets", "another page")
    rows = row_files(stage.declared, made.tables)
    for table in tables(stage.declared):
        name = f"{bundle.ROWS}/{table.name}.jsonl"
        if read_plain(place / name) != rows[name]:
            _differs(findings, f"{FOLDER}/{name}", "what the ledger of the stage has recorded", "other rows")


def _verdict(stage: Stage, made: Told, findings: Findings) -> None:
    """The third stage, computed once more."""
    place = stage.folder / VERDICT
    stated = stages.load_receipt(place)["predicate"]
    due, files = contents(stage, made, str(stated.get("blocked", {}).get("because", "")))
    due |= {"manifest": stated["manifest"], "environment": stated["environment"]}
    due |= {name: stated[name] for name in ("secrets", "left_out") if name in stated and "blocked" in stated}
    for name, data in files.items():
        if name not in stated.get("left_out", ()) and read_plain(place / name) != data:
            _summary(findings, name, read_plain(place / name), data)
    _same(findings, VERDICT, stated, due)
    _same_page(findings, VERDICT, place / bundle.RENDERING, render(stated).encode())
    for path, source in outputs.copy_faults(stage.declared, place):
        _differs(findings, f"{VERDICT}/{path}", f"a copy of {source}", "another file")


def _summary(findings: Findings, name: str, found: bytes, due: bytes) -> None:
    if name != bundle.SUMMARY:
        _differs(findings, f"{VERDICT}/{name}", "what follows from rows and sheets", "another file")
        return
    there, wanted = json.loads(found), json.loads(due)
    for part in dict.fromkeys([*wanted, *there]):
        if there.get(part) != wanted.get(part):
            computed, stated = _short(wanted.get(part)), _short(there.get(part))
            findings.add(kinds.RULES_DISAGREE, None, what=f"the final {part}", found=computed, expected=stated)


def check_decision(folder: Path, run: dict[str, Any], registry: Path, findings: Findings) -> None:
    """The registry has the final verdict with the digest of its receipt."""
    place = folder / VERDICT
    if not place.is_dir() or run["kind"] == "rehearsal" or not run["splits"]:
        return
    verdict = word_of(stages.load_receipt(place)["predicate"]["verdict"])
    if (verdict, digest_file(place / bundle.RECEIPT)) not in decisions(registry, run["name"]):
        reason = f"it does not hold the final verdict {spoken(verdict)} with the receipt of {VERDICT}/"
        findings.add(kinds.REGISTRY_DIFFERS, None, path=registry, reason=reason)


def _same(findings: Findings, stage: str, found: Any, due: Any) -> None:
    for name in dict.fromkeys([*due, *found]):
        if not same(found.get(name), due.get(name)):
            _differs(findings, f"{stage}: {name}", _short(found.get(name)), _short(due.get(name)))


def _same_page(findings: Findings, stage: str, path: Path, due: bytes) -> None:
    if read_plain(path).replace(b"\r\n", b"\n") != due:  # as git may lay the text of a clone out
        _differs(findings, f"{stage}/{path.name}", "the rendering of its receipt", "another page")


def _differs(findings: Findings, what: str, expected: str, found: str) -> None:
    findings.add(kinds.RECEIPT_DIFFERS, None, what=what, expected=expected, found=found)


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 120 else text[:117] + "..."
