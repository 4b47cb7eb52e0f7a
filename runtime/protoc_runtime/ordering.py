"""What git's history says of the order of seal and protocol, where the repository is at hand."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from protoc_runtime import bundle
from protoc_runtime.canonical import read_plain
from protoc_runtime.opened import Opened
from protoc_runtime.seal import FILE_NAME
from protoc_runtime.seal_format import from_bytes
from protoc_runtime.sealing import order_in_git


def order_faults(opened: Opened, root: Path) -> Iterator[str]:
    """Why the seal of a bundle cannot have been made when it says, as the workspace at `root` has its history; silent
    where that cannot be told."""
    held, words = order_told(opened, root)
    if held is False:
        yield words


def order_told(opened: Opened, root: Path) -> tuple[bool | None, str]:
    """Whether git's history has the seal of a bundle after the protocol that it pins, in words; None where that cannot
    be told: outside of git, before the seal is committed, in a shallow clone, without the protocol in the workspace."""
    if opened.predicate["run"]["kind"] == "rehearsal":
        return None, "a rehearsal has no seal"
    seal = from_bytes(read_plain(opened.folder / bundle.SEAL).removesuffix(b"\n"))
    spec = json.loads(read_plain(opened.folder / bundle.PACKAGE / "package.json"))["spec"]
    chain = (root / spec).parent / FILE_NAME
    return order_in_git(seal, chain) if chain.is_file() else (None, f"this workspace does not have {spec} with a seal")
