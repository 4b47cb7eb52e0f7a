"""The files of a bundle against its manifest, its ledger and its receipt."""

from __future__ import annotations

from protoc_runtime import bundle, outputs
from protoc_runtime.canonical import digest_bytes, read_plain
from protoc_runtime.catalogue import bundle as kinds
from protoc_runtime.diagnostics import Findings, Refused
from protoc_runtime.ledger_file import read_events, read_tip
from protoc_runtime.opened import Opened
from protoc_runtime.packages import load_protocol
from protoc_runtime.rendering import render
from protoc_runtime.securing import same
from protoc_runtime.strict_json import parsed
from protoc_runtime.verification.told import differs, short


def check_manifest(opened: Opened, findings: Findings) -> None:
    """Every file is that of the manifest, and the manifest that of the receipt."""
    data = read_plain(opened.folder / bundle.MANIFEST)
    named = {opened.predicate["manifest"]} | {entry["digest"]["sha256"] for entry in opened.receipt["subject"]}
    if named != {digest_bytes(data)}:
        differs(findings, "the digest of manifest.json", ", ".join(sorted(map(str, named))), digest_bytes(data))
        return
    for name, target in bundle.links(opened.folder, _unlisted(opened)).items():
        differs(findings, name, "a file of the bundle", f"a link to {target}")
    stated = parsed(data)["files"]
    there = bundle.manifest(opened.folder, _unlisted(opened))["files"]
    for name in sorted({*stated, *there}):
        if name not in there:
            findings.add(kinds.FILE_MISSING, None, file=name)
        elif name not in stated:
            findings.add(kinds.FILE_ADDED, None, file=name)
        elif stated[name] != there[name]:
            found, expected = there[name]["sha256"], stated[name]["sha256"]
            findings.add(kinds.FILE_CHANGED, None, file=name, found=short(found), expected=short(expected))


def _unlisted(opened: Opened) -> frozenset[str]:
    """What the manifest does not list; without a protocol that can be read, what none lists."""
    try:
        return outputs.outside(load_protocol(opened.folder / bundle.PACKAGE))
    except Refused:
        return bundle.OUTSIDE


def check_ledger(opened: Opened, findings: Findings) -> None:
    """The ledger is whole, and its end is the one that the receipt names."""
    tip, faults = read_tip(opened.folder / bundle.LEDGER)
    if faults.failed:
        raise Refused(faults)
    found = {"length": tip.length, "head": tip.head, "root": tip.tree.root()}
    for name, value in opened.predicate["ledger"].items():
        if found.get(name) != value:
            differs(findings, f"the ledger's {name}", value, found.get(name))


def check_receipt(opened: Opened, findings: Findings) -> None:
    """The receipt has its own form, and says what the summary says."""
    if bundle.in_order(opened.receipt) != read_plain(opened.folder / bundle.RECEIPT):
        differs(findings, "the form of receipt.json", "as it is written", "another")
    for name in ("verdict", "released"):
        if opened.predicate[name] != opened.summary[name]:
            differs(findings, f"the {name}", opened.predicate[name], opened.summary[name])
    for name in opened.predicate["results"]:
        if not same(opened.predicate["results"][name], opened.summary.get(name)):
            differs(findings, name, "what it lists", "another list in summary.json")
    if opened.predicate["counters"] != opened.summary["counters"]:
        differs(findings, "the number of cases", opened.predicate["counters"], opened.summary["counters"])
    _cases(opened, findings)


def _cases(opened: Opened, findings: Findings) -> None:
    """Outcomes stand in the ledger, in cases.jsonl and in the receipt: all three agree."""
    ended: dict[str, str] = {}
    for event in read_events(opened.folder / bundle.LEDGER):
        if event.kind == "case_finished":
            if event.body["case"] in ended:
                differs(findings, f"the outcomes of case {event.body['case']}", "one", "two in the ledger")
            ended[event.body["case"]] = event.body["outcome"]
    from protoc_runtime.reading import raw_rows

    listed = {row["case"]: row["outcome"] for row in raw_rows(opened.folder / bundle.CASES)}
    for case in sorted({*ended, *listed}):
        if ended.get(case) != listed.get(case):
            differs(findings, f"the outcome of case {case}", ended.get(case), f"{listed.get(case)} in cases.jsonl")
    if opened.predicate["counters"]["cases"] != len(listed):
        differs(findings, "the number of cases", opened.predicate["counters"]["cases"], len(listed))


def check_rendering(opened: Opened, findings: Findings) -> None:
    """`RECEIPT.md` is what the receipt renders to."""
    due = render(dict(opened.predicate)).splitlines()
    there = read_plain(opened.folder / bundle.RENDERING).decode("utf-8").splitlines()
    if due != there:
        line = next((n for n, pair in enumerate(zip(due, there, strict=False), 1) if pair[0] != pair[1]), 0)
        findings.add(kinds.RENDERING_DIFFERS, None, line=line or min(len(due), len(there)) + 1)


def check_copies(opened: Opened, findings: Findings) -> None:
    """Files under the names that the protocol asks for."""
    for path, source in outputs.copy_faults(load_protocol(opened.folder / bundle.PACKAGE), opened.folder):
        differs(findings, path, f"a copy of {source}", "another file")
