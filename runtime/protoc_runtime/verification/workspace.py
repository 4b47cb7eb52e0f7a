"""A bundle against the registry of the workspace that it lies in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from protoc_runtime import bundle
from protoc_runtime.canonical import digest_file
from protoc_runtime.catalogue import bundle as kinds
from protoc_runtime.diagnostics import Findings
from protoc_runtime.opened import Opened
from protoc_runtime.registry import readings
from protoc_runtime.verdict_words import spoken, word_of
from protoc_runtime.verification.splits import deleted
from protoc_runtime.verification.told import short


def check_workspace(opened: Opened, registry: Path | None, findings: Findings) -> None:
    """The registry of the workspace tells the same of the readings of this run."""
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
            yield f"for {split} it holds another receipt, {short(found[split].receipt)} instead of {short(receipt)}"
        elif found[split].verdict != word_of(opened.predicate["verdict"]):
            yield f"for {split} it holds the verdict {spoken(found[split].verdict)}"
