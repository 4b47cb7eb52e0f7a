"""Whether a bundle holds: the same road as the run, from the bundle alone.

Files against the manifest, the manifest and the ledger against the receipt, the receipt against its rendering, the
seal against package and order, the results against a second computation by the bundle's own rules and a third one by
its `verify.py`; and, where there is one, the registry against the receipt. Faults are told in this order, so the
first one is the first thing that does not hold. Programs of a bundle are run only if they are those that its seal
pins.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from protoc_runtime import bundle, outputs
from protoc_runtime.canonical import digest_bytes, digest_file, read_plain
from protoc_runtime.catalogue import bundle as kinds
from protoc_runtime.diagnostics import Findings, Refused
from protoc_runtime.evaluating import evaluate
from protoc_runtime.ledger_file import read_events, read_tip
from protoc_runtime.opened import Opened, load_digests, open_bundle
from protoc_runtime.ordering import order_faults
from protoc_runtime.packages import load_protocol, load_rules
from protoc_runtime.phases.receipt import phase_part
from protoc_runtime.pinning import pin_package
from protoc_runtime.receipt_sections import sections
from protoc_runtime.registry import readings
from protoc_runtime.rendering import render
from protoc_runtime.replaying import replay_faults
from protoc_runtime.seal import Seal
from protoc_runtime.seal_format import from_bytes
from protoc_runtime.securing import BLOCKED, loaded, same, scan
from protoc_runtime.verifying_splits import check_audits, deleted
from protoc_runtime.written import read_bundle

SECONDS = 600  # for the bundle's own verify.py
PARTS = ("metrics", "blockers", "gates", "checks", "verdicts", "statuses", "lists", "reasons", "verdict", "pending")


def verify(folder: Path, registry: Path | None, *, whole: bool = True) -> tuple[Opened, Findings]:
    """Every fault of a bundle, the first one first; `registry` is that of the workspace, if one was found. Not `whole`:
    without the bundle's own second computation, which takes its time.

    Where files are not those of the manifest, or the ledger does not hold, nothing further is compared; the bundle's
    own program and the registry are asked only about a bundle in which everything else holds.
    """
    opened = open_bundle(folder)
    findings = Findings()
    for check in (_manifest, _ledger):
        _guarded(check, opened, findings)
        if findings.failed:
            return opened, findings  # what follows would tell the same fault once more, in other words
    for check in (_receipt, _rendering, _copies, _seal, _package, _sections, check_audits):
        _guarded(check, opened, findings)
    if not program_faults(opened).failed:
        _guarded(_recompute, opened, findings)
        for check in (_replay, _stages, *((_own_verifier,) if whole else ())):
            if not findings.failed:
                _guarded(check, opened, findings)
    else:
        findings.add(kinds.NOT_RUN, None, path=folder)
    _guarded(_secrets, opened, findings)
    if not findings.failed:
        _registry(opened, registry, findings)
    if registry is not None and not findings.failed:
        for reason in order_faults(opened, registry.parent):
            findings.add(kinds.WRONG_ORDER, None, reason=reason)
    return opened, findings


def _guarded(check: Callable[[Opened, Findings], None], opened: Opened, findings: Findings) -> None:
    """One check, of which a damaged file may be the end."""
    try:
        check(opened, findings)
    except Refused as refused:
        findings.extend(refused.diagnostics)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as fault:
        findings.add(kinds.NOT_A_BUNDLE, None, path=opened.folder, reason=f"{type(fault).__name__}: {fault}")


def program_faults(opened: Opened) -> Findings:
    """Why the programs of the bundle are not those that its seal pins; such programs are not run."""
    findings = Findings()
    _guarded(_programs, opened, findings)
    return findings


def _programs(opened: Opened, findings: Findings) -> None:
    seal = from_bytes(read_plain(opened.folder / bundle.SEAL).removesuffix(b"\n"))
    for reason in _program_faults(opened, seal):
        findings.add(kinds.SEAL_DIFFERS, None, reason=reason)


def _program_faults(opened: Opened, seal: Seal) -> Iterator[str]:
    package = pin_package(opened.folder / bundle.PACKAGE)
    if package.sha256 != seal.pins.package.sha256:
        yield f"it pins the package {_short(seal.pins.package.sha256)}, the bundle has {_short(package.sha256)}"
    if digest_file(opened.folder / bundle.VERIFIER) != package.files.get(bundle.VERIFIER):
        yield f"{bundle.VERIFIER} is not that of the package"


def _manifest(opened: Opened, findings: Findings) -> None:
    data = read_plain(opened.folder / bundle.MANIFEST)
    named = {opened.predicate["manifest"]} | {entry["digest"]["sha256"] for entry in opened.receipt["subject"]}
    if named != {digest_bytes(data)}:
        _differs(findings, "the digest of manifest.json", ", ".join(sorted(map(str, named))), digest_bytes(data))
        return
    stated = json.loads(data)["files"]
    there = bundle.manifest(opened.folder, _unlisted(opened))["files"]
    for name in sorted({*stated, *there}):
        if name not in there:
            findings.add(kinds.FILE_MISSING, None, file=name)
        elif name not in stated:
            findings.add(kinds.FILE_ADDED, None, file=name)
        elif stated[name] != there[name]:
            found, expected = there[name]["sha256"], stated[name]["sha256"]
            findings.add(kinds.FILE_CHANGED, None, file=name, found=_short(found), expected=_short(expected))


def _unlisted(opened: Opened) -> frozenset[str]:
    """What the manifest does not list; without a protocol that can be read, what none lists."""
    try:
        return outputs.outside(load_protocol(opened.folder / bundle.PACKAGE))
    except Refused:
        return bundle.OUTSIDE


def _ledger(opened: Opened, findings: Findings) -> None:
    tip, faults = read_tip(opened.folder / bundle.LEDGER)
    if faults.failed:
        raise Refused(faults)
    found = {"length": tip.length, "head": tip.head, "root": tip.tree.root()}
    for name, value in opened.predicate["ledger"].items():
        if found.get(name) != value:
            _differs(findings, f"the ledger's {name}", value, found.get(name))


def _receipt(opened: Opened, findings: Findings) -> None:
    if bundle.in_order(opened.receipt) != read_plain(opened.folder / bundle.RECEIPT):
        _differs(findings, "the form of receipt.json", "as it is written", "another")
    for name in ("verdict", "released"):
        if opened.predicate[name] != opened.summary[name]:
            _differs(findings, f"the {name}", opened.predicate[name], opened.summary[name])
    for name in opened.predicate["results"]:
        if not same(opened.predicate["results"][name], opened.summary.get(name)):
            _differs(findings, name, "what it lists", "another list in summary.json")
    if opened.predicate["counters"] != opened.summary["counters"]:
        _differs(findings, "the number of cases", opened.predicate["counters"], opened.summary["counters"])
    _cases(opened, findings)


def _cases(opened: Opened, findings: Findings) -> None:
    """Outcomes stand in the ledger, in cases.jsonl and in the receipt: all three agree."""
    ended: dict[str, str] = {}
    for event in read_events(opened.folder / bundle.LEDGER):
        if event.kind == "case_finished":
            if event.body["case"] in ended:
                _differs(findings, f"the outcomes of case {event.body['case']}", "one", "two in the ledger")
            ended[event.body["case"]] = event.body["outcome"]
    from protoc_runtime.reading import raw_rows

    listed = {row["case"]: row["outcome"] for row in raw_rows(opened.folder / bundle.CASES)}
    for case in sorted({*ended, *listed}):
        if ended.get(case) != listed.get(case):
            _differs(findings, f"the outcome of case {case}", ended.get(case), f"{listed.get(case)} in cases.jsonl")
    if opened.predicate["counters"]["cases"] != len(listed):
        _differs(findings, "the number of cases", opened.predicate["counters"]["cases"], len(listed))


def _copies(opened: Opened, findings: Findings) -> None:
    """Files under the names that the protocol asks for."""
    for path, source in outputs.copy_faults(load_protocol(opened.folder / bundle.PACKAGE), opened.folder):
        _differs(findings, path, f"a copy of {source}", "another file")


def _stages(opened: Opened, findings: Findings) -> None:
    """What was added after the run: sheets, and the final verdict."""
    from protoc_runtime.adjudication.checking import check_stages

    check_stages(opened.folder, load_protocol(opened.folder / bundle.PACKAGE), findings)


def _rendering(opened: Opened, findings: Findings) -> None:
    due = render(dict(opened.predicate)).splitlines()
    there = read_plain(opened.folder / bundle.RENDERING).decode("utf-8").splitlines()
    if due != there:
        line = next((n for n, pair in enumerate(zip(due, there, strict=False), 1) if pair[0] != pair[1]), 0)
        findings.add(kinds.RENDERING_DIFFERS, None, line=line or min(len(due), len(there)) + 1)


def _seal(opened: Opened, findings: Findings) -> None:
    seal = from_bytes(read_plain(opened.folder / bundle.SEAL).removesuffix(b"\n"))
    rehearsed = opened.predicate["run"]["kind"] == "rehearsal"
    faults = [*_seal_faults(opened, seal)] if rehearsed else [*_seal_faults(opened, seal), *_spec_faults(opened, seal)]
    for reason in faults:
        findings.add(kinds.SEAL_DIFFERS, None, reason=reason)
    first = next(read_events(opened.folder / bundle.LEDGER), None)
    if not rehearsed and first is not None and str(first.body["at"]) < seal.time:
        reason = f"the run began at {first.body['at']}, before the seal of {seal.time}"
        findings.add(kinds.WRONG_ORDER, None, reason=reason)


def _seal_faults(opened: Opened, seal: Seal) -> Iterator[str]:
    stated = opened.predicate["seals"]
    if stated and opened.predicate["run"]["kind"] != "rehearsal" and stated[-1]["digest"] != seal.digest:
        yield f"the receipt names {_short(stated[-1]['digest'])}, seal.json is {_short(seal.digest)}"
    yield from _program_faults(opened, seal)
    protocol = "sha256:" + digest_file(opened.folder / bundle.PACKAGE / "protocol.json")
    if protocol != seal.pins.spec:
        yield f"it pins the spec digest {_short(seal.pins.spec)}, the bundle's protocol has {_short(protocol)}"


def _spec_faults(opened: Opened, seal: Seal) -> Iterator[str]:
    """The text of the spec may differ from the sealed one in what means nothing, and then it is not compared here."""
    chain = opened.folder / bundle.SPEC / "seal.jsonl"
    lines = chain.read_bytes().removesuffix(b"\n").split(b"\n") if chain.is_file() else []
    digests = [digest_bytes(line) for line in lines]
    if seal.digest not in digests:
        yield "it is not in the chain of spec/seal.jsonl"
    elif digests != [stated["digest"] for stated in opened.predicate["seals"]]:
        yield "the receipt lists other seals than spec/seal.jsonl"


def _package(opened: Opened, findings: Findings) -> None:
    declared = load_protocol(opened.folder / bundle.PACKAGE)
    for where, stated in (
        ("the receipt", opened.predicate["protocol"]["spec_digest"]),
        ("summary.json", opened.summary["spec_digest"]),
    ):
        if stated != declared.digest:
            findings.add(kinds.SPEC_DIFFERS, None, found=declared.digest, where=where, expected=stated)


def _recompute(opened: Opened, findings: Findings) -> None:
    """The bundle's rules over the bundle's rows."""
    results = recomputed(opened)
    summary = {**opened.summary, "verdict": _by_the_rules(opened)}
    for part in PARTS:
        if part not in results:
            continue
        for name, found, expected in _differences(part, results[part], summary.get(part)):
            findings.add(kinds.RULES_DISAGREE, None, what=name, found=_json(found), expected=_json(expected))
    released = bool(results["released"]) and opened.summary.get("kind") == "run" and "blocked" not in opened.summary
    if released != opened.summary["released"]:
        expected = _json(opened.summary["released"])
        findings.add(kinds.RULES_DISAGREE, None, what="released", found=_json(released), expected=expected)


def _by_the_rules(opened: Opened) -> Any:
    """The verdict that the rules give; a blocked bundle keeps it beside the one that counts."""
    told = opened.summary.get("blocked")
    return told["verdict"] if told is not None and opened.summary["verdict"] == BLOCKED else opened.summary["verdict"]


def _sections(opened: Opened, findings: Findings) -> None:
    """What the receipt tells of phase, target, providers and conduct, made from the ledger once more."""
    events = list(read_events(opened.folder / bundle.LEDGER))
    declared = load_protocol(opened.folder / bundle.PACKAGE)
    due = sections(declared, events)
    if "entered" in due and same(opened.predicate.get("entered"), due["entered"]):
        due["phase"] = phase_part(declared, opened.predicate)
    for name in ("entered", "phase", "target", "providers", "conduct"):
        stated = opened.predicate.get(name)
        if not same(stated, due.get(name)):
            _differs(findings, name, due.get(name), stated)


def _secrets(opened: Opened, findings: Findings) -> None:
    """The scan of the run once more, with the rules alone: a credential that the runner had is not there to look for.

    What the receipt lists is known, and has blocked the verdict, in whatever file it stands: others are copies. Later
    stages are scanned too.
    """
    known = {(one["rule"], one["sha256"]) for one in _listed(opened)}
    for found in scan(opened.folder, loaded(load_protocol(opened.folder / bundle.PACKAGE))):
        if (found.rule, found.sha256) not in known:
            findings.add(kinds.SECRET_FOUND, None, found=found.told())
    if bool(known) and opened.summary["released"]:
        _differs(findings, "released", False, True)


def _listed(opened: Opened) -> Iterator[dict[str, str]]:
    """What the receipts of a bundle list as found, that of the final verdict included."""
    yield from opened.predicate.get("secrets", ())
    final = opened.folder / bundle.STAGES[-1] / bundle.RECEIPT
    if final.is_file():
        yield from json.loads(read_plain(final))["predicate"].get("secrets", ())


def _replay(opened: Opened, findings: Findings) -> None:
    """The rows and cases against the answers in the ledger, and the ledger's last word on the results."""
    for file, what in replay_faults(opened.folder):
        findings.add(kinds.ANSWERS_DIFFER, None, file=file, what=what)
    _frozen(opened, findings)
    ended = [event for event in read_events(opened.folder / bundle.LEDGER) if event.kind == "run_finished"]
    stated = ended[-1].body.get("summary") if ended else None
    digest = digest_file(opened.folder / bundle.SUMMARY)
    if stated != digest:
        what = f"its digest is {_short(digest)}, the ledger has {_short(str(stated))}"
        findings.add(kinds.ANSWERS_DIFFER, None, file=bundle.SUMMARY, what=what)


def _frozen(opened: Opened, findings: Findings) -> None:
    """What the bundle says of the freeze manifest, against the manifest that it holds."""
    package = opened.folder / bundle.PACKAGE
    declared = load_protocol(package)
    if declared.manifest is None:
        return
    from protoc_runtime.manifests.keeping import manifest_faults

    tables = read_bundle(declared, opened.folder / bundle.ROWS)
    for file, what in manifest_faults(declared, opened.folder, package, tables):
        findings.add(kinds.ANSWERS_DIFFER, None, file=file, what=what)


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


def _own_verifier(opened: Opened, findings: Findings) -> None:
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


def _registry(opened: Opened, registry: Path | None, findings: Findings) -> None:
    known = registry is not None and registry.is_file()
    reserved = opened.predicate["run"]["kind"] != "rehearsal" and bool(opened.predicate["run"]["splits"])
    if registry is not None and opened.predicate["run"]["kind"] != "rehearsal":
        findings.extend(deleted(opened, registry))
    if known and reserved:
        assert registry is not None
        for reason in _registry_faults(opened, registry):
            findings.add(kinds.REGISTRY_DIFFERS, None, path=registry, reason=reason)
        from protoc_runtime.adjudication.checking import check_decision

        check_decision(opened.folder, opened.predicate["run"], registry, findings)
    if not findings.failed:
        words = "" if known and reserved else ", and no registry here holds its digest"
        findings.add(kinds.UNSIGNED, None, registry=words)


def _registry_faults(opened: Opened, registry: Path) -> Iterator[str]:
    run = opened.predicate["run"]
    receipt = digest_file(opened.folder / bundle.RECEIPT)
    found = {reading.split: reading for reading in readings(registry) if reading.run == run["name"]}
    for split in run["splits"]:
        if split not in found:
            yield f"it has no reading of {split} by {run['name']}"
        elif found[split].state != "closed":
            yield f"the reading of {split} is not closed in it"
        elif found[split].receipt.removeprefix("sha256:") != receipt:
            yield f"for {split} it holds another receipt, {_short(found[split].receipt)} instead of {_short(receipt)}"
        elif found[split].verdict != opened.predicate["verdict"]:
            yield f"for {split} it holds the verdict {found[split].verdict}"


def _differs(findings: Findings, what: str, expected: Any, found: Any) -> None:
    findings.add(kinds.RECEIPT_DIFFERS, None, what=what, expected=_plain(expected), found=_plain(found))


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else _json(value)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _short(digest: str) -> str:
    text = digest.removeprefix("sha256:")
    return text[:12] if len(text) == 64 else text
