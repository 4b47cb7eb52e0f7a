"""The third stage of a bundle: the verdict over the rows of the run and the rows that people told.

What did not wait for people was settled when the run closed. It is computed once more here and must be what it was.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from protoc_runtime import bundle, outputs
from protoc_runtime.adjudication.keeping import judged, lines_by_part
from protoc_runtime.adjudication.parts import parts
from protoc_runtime.adjudication.sheets import worksheet
from protoc_runtime.adjudication.stages import FOLDER, VERDICT, Stage, Told, load_receipt, open_stage, recorded
from protoc_runtime.canonical import digest_bytes, digest_file, read_plain, sync_folder
from protoc_runtime.catalogue import adjudication as kinds
from protoc_runtime.catalogue import run as run_kinds
from protoc_runtime.closing import environment
from protoc_runtime.diagnostics import Diagnostic, Findings, Refused, Related, Span
from protoc_runtime.evaluating import evaluate
from protoc_runtime.expecting import JUDGED, binding, require, rows_against, unmet
from protoc_runtime.plan import REHEARSAL, RUN
from protoc_runtime.receipt import PREDICATE, judged_predicate
from protoc_runtime.record import record, replace
from protoc_runtime.registry import decisions, record_decision
from protoc_runtime.rendering import render
from protoc_runtime.results import SPACES
from protoc_runtime.scanning import scan_bytes
from protoc_runtime.seal_format import STATEMENT
from protoc_runtime.securing import BLOCKED, blocked_by, left_out, listed, loaded, require_clean
from protoc_runtime.verdict_words import spoken, word_of
from protoc_runtime.workspace import Workspace


@record
class Decided:
    """The final verdict: the folder of its stage, what its receipt says, and what is doubtful of what was judged."""

    bundle: Path
    receipt: Mapping[str, Any]
    warnings: tuple[Diagnostic, ...] = ()

    @property
    def released(self) -> bool:
        """Whether the verdict releases: exit status 0."""
        return bool(self.receipt["released"])


def decide(folder: Path, workspace: Workspace) -> Decided:
    """Compute the final verdict and close its stage. Raises `Refused`: E1208, E1401, E18xx."""
    stage = open_stage(folder)
    final = folder / VERDICT
    if final.is_dir():
        return _decided_before(stage, final, workspace)
    if not stage.closed:
        names = [part.name for part in parts(stage.declared) if part.name not in stage.sheets]
        verb = "is" if len(names) == 1 else "are"
        raise Refused([Findings().add(kinds.NOT_TOLD, None, path=folder, names=", ".join(names), is_=verb)])
    made = recorded(stage)
    warnings = _expected(stage, made, workspace)
    secrets = loaded(stage.declared)
    predicate, files = _without_secrets(stage, made, secrets)
    place = folder / bundle.DECIDING
    if place.exists():
        shutil.rmtree(place)  # an attempt that was interrupted before it was closed
    bundle.put(place, files)
    outputs.copy_early(stage.declared, place)
    _, manifest = bundle.seal_off(place, outputs.outside(stage.declared))
    predicate["manifest"] = manifest
    data = bundle.in_order(_statement(predicate, manifest))
    page = render(predicate).encode()
    require_clean({bundle.RECEIPT: data, bundle.RENDERING: page}, secrets)
    bundle.put(place, {bundle.RECEIPT: data, bundle.RENDERING: page})
    outputs.copy_late(stage.declared, place)
    os.rename(place, final)
    sync_folder(folder)
    _register(stage, workspace, word_of(predicate["verdict"]), digest_bytes(data))
    return Decided(final, predicate, warnings)


def _expected(stage: Stage, made: Told, workspace: Workspace) -> tuple[Diagnostic, ...]:
    """What was expected of what people judged and is not so, of a run that is not held to it (W1214, N1219). Raises
    `Refused` (E1208) where it is."""
    summary, notes = stage.opened.summary, Findings()
    if binding(summary):
        _require_expected(stage, made, workspace)
    elif summary["splits"] or not summary["narrowed"]:  # one that was stopped has asked nobody
        kind = run_kinds.MADE_UP if summary["kind"] == REHEARSAL else run_kinds.EXPECTATION_OF_DATA
        for table, words in unmet(stage.declared, stage.rules, made.tables, (JUDGED,)):
            against = rows_against(stage.rules, made.tables, table, words)
            notes.add(kind, None, table=table, expectation=words + against)
    return tuple(notes.sorted())


def _require_expected(stage: Stage, made: Told, workspace: Workspace) -> None:
    """Raise `Refused` (E1208) where what people judged is not as expected, with what becomes of the run."""
    try:
        require(stage.declared, stage.rules, made.tables, JUDGED)
    except Refused as refused:
        place = Span(f"{workspace.shown(stage.place.resolve())}/{bundle.LEDGER}", 1, 1, 1, 2)
        words = "what was judged stays as it is, so this run stays PENDING and releases nothing"
        where = Related(place, words)
        raise Refused([replace(fault, related=(*fault.related, where)) for fault in refused.diagnostics]) from None


def _without_secrets(stage: Stage, made: Told, secrets: Mapping[str, str]) -> tuple[dict[str, Any], dict[str, bytes]]:
    """The receipt and the files of the stage. What shows a secret that the run did not know of blocks the verdict, and
    is left out: a file as a whole, but for the summary, and of the receipt the text."""
    predicate, files = contents(stage, made)
    known = {(one["rule"], one["sha256"]) for one in predicate.get("secrets", ())}
    shown = {**files, bundle.RECEIPT: bundle.in_order(predicate), bundle.RENDERING: render(predicate).encode()}
    found = [one for name, data in shown.items() for one in scan_bytes(data, name, secrets)]
    new = [one for one in found if (one.rule, one.sha256) not in known]
    if not new:
        return (left_out(predicate, secrets) if found else predicate), files
    predicate, files = contents(stage, made, blocked_by(new))
    dropped = sorted({one.file for one in new} & set(files) - {bundle.SUMMARY})
    predicate["secrets"] = [*predicate.get("secrets", ()), *listed(new)]
    predicate["left_out"] = dropped
    return left_out(predicate, secrets), {name: data for name, data in files.items() if name not in dropped}


def _register(stage: Stage, workspace: Workspace, verdict: str, receipt: str) -> bool:
    """Tell the registry; whether it learned something."""
    run = stage.opened.predicate["run"]
    if run["kind"] == "rehearsal" or not run["splits"]:
        return False
    known = workspace.registry.is_file() and (verdict, receipt) in decisions(workspace.registry, run["name"])
    record_decision(workspace.registry, run["name"], verdict=verdict, receipt=receipt)
    return not known


def _decided_before(stage: Stage, final: Path, workspace: Workspace) -> Decided:
    """What an attempt that ended before the registry knew it has decided. Raises `Refused` (E1813) otherwise."""
    predicate = load_receipt(final)["predicate"]
    verdict = word_of(predicate["verdict"])
    if not _register(stage, workspace, verdict, digest_file(final / bundle.RECEIPT)):
        raise Refused([Findings().add(kinds.DECIDED, None, path=stage.folder, verdict=spoken(verdict))])
    return Decided(final, predicate)


def contents(stage: Stage, made: Told, late: str = "") -> tuple[dict[str, Any], dict[str, bytes]]:
    """What the receipt of the third stage says but for the manifest, and the files of the stage. `late` says what the
    secret scan of this stage has found."""
    summary = final_summary(stage, made)
    if late and "blocked" not in summary:
        told = {"verdict": summary["verdict"], "because": late}
        summary |= {"verdict": BLOCKED, "released": False, "blocked": told}
    predicate = {
        **judged_predicate(stage.declared, stage.opened.predicate, summary),
        "stages": {
            "run": digest_file(stage.folder / bundle.RECEIPT),
            "adjudication": digest_file(stage.folder / FOLDER / bundle.RECEIPT),
        },
        "judgements": judged(stage, made),
        "environment": environment(stage.declared, summary),
    }
    if stage.declared.sealed is not None:
        predicate["sealed"] = list(stage.declared.sealed.items)
    page = worksheet(stage.declared.title, lines_by_part(stage, made), summary["lists"]).encode()
    files = {
        bundle.SUMMARY: bundle.in_order(summary),
        outputs.adjudication_name(stage.declared): page,
        bundle.CASES: read_plain(stage.folder / bundle.CASES),
    }
    return predicate, files


def final_summary(stage: Stage, made: Told) -> dict[str, Any]:
    """The summary of the whole protocol. Raises `Refused` (E1814) where something settled would change."""
    before = dict(stage.opened.summary)
    results = evaluate(stage.declared, stage.rules, made.tables, stage.digests)
    counts = bool(results["released"]) and before["kind"] == RUN
    kept = {name: value for name, value in before.items() if name not in ("pending", "rows")}
    after = {**kept, **results, "released": counts}
    if "blocked" in before:  # what was found in the bundle of the run is there still
        told = {**before["blocked"], "verdict": results["verdict"]}
        after |= {"verdict": BLOCKED, "released": False, "blocked": told}
    require_settled(before, after)
    return after


def require_settled(before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
    """Raise `Refused` (E1814) for each value of the first summary that waited for nobody and is another one now."""
    findings = Findings()
    for space in SPACES:
        waiting = set(before.get("pending", {}).get(space, ()))
        for name, value in before.get(space, {}).items():
            now = after.get(space, {}).get(name)
            if name not in waiting and now != value:
                what, old = f"{space} {name}", json.dumps(value)
                findings.add(kinds.SETTLED_CHANGED, None, what=what, before=old, after=json.dumps(now))
    if findings.failed:
        raise Refused(findings)


def _statement(predicate: Mapping[str, Any], manifest: str) -> dict[str, Any]:
    subject = [{"name": bundle.MANIFEST, "digest": {"sha256": manifest}}]
    return {"_type": STATEMENT, "subject": subject, "predicateType": PREDICATE, "predicate": dict(predicate)}
