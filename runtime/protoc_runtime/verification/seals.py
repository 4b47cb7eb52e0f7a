"""Seal, protocol and programs of a bundle against each other."""

from __future__ import annotations

from collections.abc import Iterator

from protoc_runtime import bundle
from protoc_runtime.canonical import digest_bytes, digest_file, read_plain
from protoc_runtime.catalogue import bundle as kinds
from protoc_runtime.diagnostics import Findings
from protoc_runtime.ledger_file import read_events
from protoc_runtime.opened import Opened
from protoc_runtime.packages import load_protocol
from protoc_runtime.pinning import pin_package
from protoc_runtime.seal import Seal
from protoc_runtime.seal_format import from_bytes
from protoc_runtime.verification.told import short


def check_programs(opened: Opened, findings: Findings) -> None:
    """The package and `verify.py` are those that the seal pins."""
    seal = from_bytes(read_plain(opened.folder / bundle.SEAL).removesuffix(b"\n"))
    for reason in _program_faults(opened, seal):
        findings.add(kinds.SEAL_DIFFERS, None, reason=reason)


def _program_faults(opened: Opened, seal: Seal) -> Iterator[str]:
    package = pin_package(opened.folder / bundle.PACKAGE)
    if package.sha256 != seal.pins.package.sha256:
        yield f"it pins the package {short(seal.pins.package.sha256)}, the bundle has {short(package.sha256)}"
    if digest_file(opened.folder / bundle.VERIFIER) != package.files.get(bundle.VERIFIER):
        yield f"{bundle.VERIFIER} is not that of the package"


def check_seal(opened: Opened, findings: Findings) -> None:
    """The seal is that of the receipt and of the chain beside the spec, and is older than the run."""
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
        yield f"the receipt names {short(stated[-1]['digest'])}, seal.json is {short(seal.digest)}"
    yield from _program_faults(opened, seal)
    protocol = "sha256:" + digest_file(opened.folder / bundle.PACKAGE / "protocol.json")
    if protocol != seal.pins.spec:
        yield f"it pins the spec digest {short(seal.pins.spec)}, the bundle's protocol has {short(protocol)}"


def _spec_faults(opened: Opened, seal: Seal) -> Iterator[str]:
    """The text of the spec may differ from the sealed one in what means nothing, and then it is not compared here."""
    chain = opened.folder / bundle.SPEC / "seal.jsonl"
    lines = chain.read_bytes().removesuffix(b"\n").split(b"\n") if chain.is_file() else []
    digests = [digest_bytes(line) for line in lines]
    if seal.digest not in digests:
        yield "it is not in the chain of spec/seal.jsonl"
    elif digests != [stated["digest"] for stated in opened.predicate["seals"]]:
        yield "the receipt lists other seals than spec/seal.jsonl"


def check_package(opened: Opened, findings: Findings) -> None:
    """Receipt and summary name the protocol of the package."""
    declared = load_protocol(opened.folder / bundle.PACKAGE)
    for where, stated in (
        ("the receipt", opened.predicate["protocol"]["spec_digest"]),
        ("summary.json", opened.summary["spec_digest"]),
    ):
        if stated != declared.digest:
            findings.add(kinds.SPEC_DIFFERS, None, found=declared.digest, where=where, expected=stated)
