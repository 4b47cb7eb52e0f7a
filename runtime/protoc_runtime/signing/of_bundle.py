"""The evidence that a bundle carries: over its receipt, over that of its final verdict, where people judged, and over
the seal that its run had."""

from __future__ import annotations

from typing import Any

from protoc_runtime import bundle
from protoc_runtime.canonical import read_plain
from protoc_runtime.catalogue import bundle as bundle_kinds
from protoc_runtime.diagnostics import Findings
from protoc_runtime.ledger_file import read_events
from protoc_runtime.opened import Opened
from protoc_runtime.signing.checking import Trust, Verdict, examine
from protoc_runtime.signing.claims import PROVEN, SEALED_FIRST
from protoc_runtime.signing.sidecar import TIMESTAMP

RECEIPT, SEAL, FINAL = "the receipt", "the seal", "the final verdict"


def check_evidence(opened: Opened, trust: Trust, findings: Findings) -> tuple[list[str], bool]:
    """Check all of it; what there is, in words, and whether a trusted signature over the last receipt is among it.

    For each kind of trust, one of the receipts or the seal must have its evidence (E2403); a receipt that calls the
    order of seal and run proven must have the token for it (E1405).
    """
    receipt, seal = (read_plain(opened.folder / name) for name in (bundle.RECEIPT, bundle.SEAL))
    final = opened.folder / bundle.STAGES[-1]
    parts = [(RECEIPT, opened.folder, receipt)]
    parts += [(FINAL, final, read_plain(final / bundle.RECEIPT))] if final.is_dir() else []
    parts += [(SEAL, opened.folder / bundle.SPEC, seal.removesuffix(b"\n"))]
    over, apart = {}, {}
    for what, folder, data in parts:
        apart[what] = Findings()
        over[what] = examine(folder, data, what, trust, apart[what], only=what != SEAL)
    _require(trust, over, apart, findings)
    _check_claim(opened, over[SEAL], findings)
    told = [verdict.told(what) for what, found in over.items() for verdict in found]
    last = over.get(FINAL, over[RECEIPT])
    return told, any(verdict.verified and verdict.kind != TIMESTAMP for verdict in last)


def _require(trust: Trust, over: dict[str, list[Verdict]], apart: dict[str, Findings], findings: Findings) -> None:
    """A trusted key, signer or authority must stand for one of these; broken lines are faults always."""
    from protoc_runtime.catalogue import signing as kinds

    lacking = [[item for item in found if item.id == kinds.NOT_SIGNED.id] for found in apart.values()]
    for found in apart.values():
        findings.extend(item for item in found if item.id != kinds.NOT_SIGNED.id)
    told = [{item.message.partition(" is one of ")[2] for item in found} for found in lacking]
    for who in sorted(set.intersection(*told)):
        findings.add(kinds.NOT_SIGNED, None, what=" or ".join(apart), who=who)


def _check_claim(opened: Opened, evidence: list[Verdict], findings: Findings) -> None:
    stated: list[dict[str, Any]] = [claim for claim in opened.predicate["claims"] if claim["says"] == SEALED_FIRST]
    if not any(claim["grade"] == PROVEN for claim in stated):
        return
    first = next(read_events(opened.folder / bundle.LEDGER))
    noted = set(first.body.get("signatures", ()))
    tokens = [verdict for verdict in evidence if verdict.kind == TIMESTAMP and verdict.digest in noted]
    if not any(token.time <= str(first.body["at"]) for token in tokens):
        about = {"what": "the order of seal and run", "expected": "proven", "found": "no token that shows it"}
        findings.add(bundle_kinds.RECEIPT_DIFFERS, None, related=(), **about)
