"""What a bundle says of its run, computed once more from its rows and its ledger."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

from protoc_runtime import bundle
from protoc_runtime.canonical import digest_file
from protoc_runtime.catalogue import bundle as kinds
from protoc_runtime.diagnostics import Findings
from protoc_runtime.evaluating import evaluate
from protoc_runtime.ledger_file import read_events
from protoc_runtime.opened import Opened, load_digests
from protoc_runtime.packages import load_protocol, load_rules
from protoc_runtime.phases import parity
from protoc_runtime.phases.receipt import phase_part
from protoc_runtime.receipt_sections import sections
from protoc_runtime.replaying import replay_faults
from protoc_runtime.securing import BLOCKED, same
from protoc_runtime.verification.told import as_json, differs, short
from protoc_runtime.written import read_bundle

SECONDS = 600  # for the bundle's own verify.py
PARTS = ("metrics", "blockers", "gates", "checks", "verdicts", "statuses", "lists", "reasons", "verdict", "pending")


def check_results(opened: Opened, findings: Findings) -> None:
    """The bundle's rules over the bundle's rows."""
    results = recomputed(opened)
    summary = {**opened.summary, "verdict": _by_the_rules(opened)}
    for part in PARTS:
        if part not in results:
            continue
        for name, found, expected in _differences(part, results[part], summary.get(part)):
            findings.add(kinds.RULES_DISAGREE, None, what=name, found=as_json(found), expected=as_json(expected))
    if "rows" in opened.summary and opened.summary["rows"] != results.get("rows"):  # older bundles name none
        found, expected = as_json(results.get("rows")), as_json(opened.summary["rows"])
        findings.add(kinds.RULES_DISAGREE, None, what="rows", found=found, expected=expected)
    released = bool(results["released"]) and opened.summary.get("kind") == "run" and "blocked" not in opened.summary
    if released != opened.summary["released"]:
        expected = as_json(opened.summary["released"])
        findings.add(kinds.RULES_DISAGREE, None, what="released", found=as_json(released), expected=expected)


def _by_the_rules(opened: Opened) -> Any:
    """The verdict that the rules give; a blocked bundle keeps it beside the one that counts."""
    told = opened.summary.get("blocked")
    return told["verdict"] if told is not None and opened.summary["verdict"] == BLOCKED else opened.summary["verdict"]


def recomputed(opened: Opened) -> dict[str, Any]:
    """The results of the bundle's own rules over the bundle's rows."""
    package = opened.folder / bundle.PACKAGE
    declared = load_protocol(package)
    tables = read_bundle(declared, opened.folder / bundle.ROWS)
    return evaluate(declared, load_rules(package), tables, load_digests(opened.folder))


def _differences(part: str, found: Any, expected: Any) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(found, dict) and isinstance(expected, dict):
        for name in dict.fromkeys([*found, *expected]):
            if found.get(name) != expected.get(name) or (name in found) != (name in expected):
                yield f"{part}.{name}", found.get(name), expected.get(name)
    elif found != expected:
        yield part, found, expected


def check_sections(opened: Opened, findings: Findings) -> None:
    """What the receipt tells of phase, target, providers and conduct, made from the ledger once more."""
    events = list(read_events(opened.folder / bundle.LEDGER))
    declared = load_protocol(opened.folder / bundle.PACKAGE)
    due = sections(declared, events)
    if "entered" in due and same(opened.predicate.get("entered"), due["entered"]):
        due["phase"] = phase_part(declared, opened.predicate)
    for name in ("entered", "phase", "target", "providers", "conduct"):
        stated = opened.predicate.get(name)
        if not same(stated, due.get(name)):
            differs(findings, name, due.get(name), stated)


def check_replay(opened: Opened, findings: Findings) -> None:
    """The rows and cases against the answers in the ledger, and the ledger's last word on the results."""
    for file, what in replay_faults(opened.folder):
        findings.add(kinds.ANSWERS_DIFFER, None, file=file, what=what)
    _frozen(opened, findings)
    ended = [event for event in read_events(opened.folder / bundle.LEDGER) if event.kind == "run_finished"]
    stated = ended[-1].body.get("summary") if ended else None
    digest = digest_file(opened.folder / bundle.SUMMARY)
    if stated != digest:
        what = f"its digest is {short(digest)}, the ledger has {short(str(stated))}"
        findings.add(kinds.ANSWERS_DIFFER, None, file=bundle.SUMMARY, what=what)


def _frozen(opened: Opened, findings: Findings) -> None:
    """What the bundle says of the report of parity and of the freeze manifest, against those that it holds."""
    package = opened.folder / bundle.PACKAGE
    declared = load_protocol(package)
    for file, what in parity.faults(opened.folder, opened.predicate.get("entered")):
        findings.add(kinds.ANSWERS_DIFFER, None, file=file, what=what)
    if declared.manifest is None:
        return
    from protoc_runtime.manifests.keeping import manifest_faults

    tables = read_bundle(declared, opened.folder / bundle.ROWS)
    for file, what in manifest_faults(declared, opened.folder, package, tables):
        findings.add(kinds.ANSWERS_DIFFER, None, file=file, what=what)


def check_by_its_verifier(opened: Opened, findings: Findings) -> None:
    """`verify.py` of the bundle, with the standard library only."""
    command = [sys.executable, "-I", "-B", bundle.VERIFIER]
    environment = {"LANG": "C.UTF-8", "PATH": "/usr/bin:/bin"}
    try:
        done = subprocess.run(  # noqa: S603 - our own interpreter; the file is what is being verified
            command, cwd=opened.folder, env=environment, capture_output=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        findings.add(kinds.VERIFIER_DISAGREES, None, reason=f"it did not end within {SECONDS} s")
        return
    if done.returncode != 0:
        findings.add(kinds.VERIFIER_DISAGREES, None, reason=_first_fault(done.stdout, done.stderr, done.returncode))


def _first_fault(out: bytes, err: bytes, status: int) -> str:
    lines = [line.strip() for line in (out + b"\n" + err).decode("utf-8", "replace").splitlines() if line.strip()]
    broken = [line for line in lines if not line.startswith(("checked:", "recomputed:", "cannot tell:"))]
    return broken[0].removeprefix("DOES NOT HOLD: ") if broken else f"exit status {status}"
