"""What git's history says of the order of seal and protocol, where the repository is at hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from protoc_runtime import bundle
from protoc_runtime.canonical import digest_bytes, read_plain
from protoc_runtime.frozen_set import frozen_facts
from protoc_runtime.git import find_repository
from protoc_runtime.ledger_file import read_events
from protoc_runtime.opened import Opened
from protoc_runtime.seal import FILE_NAME
from protoc_runtime.seal_format import from_bytes
from protoc_runtime.sealing import order_in_git
from protoc_runtime.strict_json import parsed


def order_faults(opened: Opened, root: Path) -> Iterator[str]:
    """Why the seal of a bundle cannot have been made when it says, as the workspace at `root` has its history; silent
    where that cannot be told."""
    held, words = order_told(opened, root)
    if held is False:
        yield words
    yield from frozen_faults(opened, root)


def frozen_faults(opened: Opened, root: Path) -> Iterator[str]:
    """Why the frozen set cannot be what the ledger says that git held before the first case: each pinned file has to
    stand in that commit as the seal pins it. Silent where this clone does not have the commit."""
    told = frozen_facts(read_events(opened.folder / bundle.LEDGER))
    spec = parsed(read_plain(opened.folder / bundle.PACKAGE / "package.json"))["spec"]
    repository = find_repository(root)
    if not told["clean"] or told["commit"] is None or repository is None or repository.commit(told["commit"]) is None:
        return
    pins = from_bytes(read_plain(opened.folder / bundle.SEAL).removesuffix(b"\n")).pins
    files = {pins.raw.path: pins.raw.sha256} | {pin.path: pin.sha256 for pin in pins.inputs}
    for path, digest in (files | {pin.path: pin.sha256 for pin in pins.code}).items():
        held = repository.content((root / spec).parent / path, told["commit"])
        if held is None or digest_bytes(held) != digest:
            yield f"commit {told['commit']}, which is said to hold the frozen set, has another {path}"


def order_told(opened: Opened, root: Path) -> tuple[bool | None, str]:
    """Whether git's history has the seal of a bundle after the protocol that it pins, in words; None where that cannot
    be told: outside of git, before the seal is committed, in a shallow clone, without the protocol in the workspace."""
    if opened.predicate["run"]["kind"] == "rehearsal":
        return None, "a rehearsal has no seal"
    seal = from_bytes(read_plain(opened.folder / bundle.SEAL).removesuffix(b"\n"))
    spec = parsed(read_plain(opened.folder / bundle.PACKAGE / "package.json"))["spec"]
    chain = (root / spec).parent / FILE_NAME
    return order_in_git(seal, chain) if chain.is_file() else (None, f"this workspace does not have {spec} with a seal")
