"""Secrets in a bundle that its receipt does not list."""

from __future__ import annotations

from collections.abc import Iterator

from protoc_runtime import bundle
from protoc_runtime.canonical import read_plain
from protoc_runtime.catalogue import bundle as kinds
from protoc_runtime.diagnostics import Findings
from protoc_runtime.opened import Opened
from protoc_runtime.packages import load_protocol
from protoc_runtime.securing import loaded, scan
from protoc_runtime.strict_json import parsed
from protoc_runtime.verification.told import differs


def check_secrets(opened: Opened, findings: Findings) -> None:
    """The scan of the run once more, with the rules alone: a credential that the runner had is not there to look for.

    What the receipt lists is known, and has blocked the verdict, in whatever file it stands: others are copies. Later
    stages are scanned too.
    """
    known = {(one["rule"], one["sha256"]) for one in _listed(opened)}
    for found in scan(opened.folder, loaded(load_protocol(opened.folder / bundle.PACKAGE))):
        if (found.rule, found.sha256) not in known:
            findings.add(kinds.SECRET_FOUND, None, found=found.told())
    if bool(known) and opened.summary["released"]:
        differs(findings, "released", False, True)


def _listed(opened: Opened) -> Iterator[dict[str, str]]:
    """What the receipts of a bundle list as found, that of the final verdict included."""
    yield from opened.predicate.get("secrets", ())
    final = opened.folder / bundle.STAGES[-1] / bundle.RECEIPT
    if final.is_file():
        yield from parsed(read_plain(final))["predicate"].get("secrets", ())
