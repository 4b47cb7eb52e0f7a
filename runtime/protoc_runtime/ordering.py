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
from protoc_runtime.sealing import committed_after


def order_faults(opened: Opened, root: Path) -> Iterator[str]:
    """Why the seal of a bundle cannot have been made when it says, as the workspace at `root` has its history.

    Silent where that cannot be told: outside of git, before the seal is committed, in a shallow clone, or where the
    protocol is not in this workspace. A rehearsal has no seal.
    """
    if opened.predicate["run"]["kind"] == "rehearsal":
        return
    seal = from_bytes(read_plain(opened.folder / bundle.SEAL).removesuffix(b"\n"))
    spec = json.loads(read_plain(opened.folder / bundle.PACKAGE / "package.json"))["spec"]
    chain = (root / spec).parent / FILE_NAME
    if chain.is_file() and committed_after(seal, chain) is False:
        yield f"git has the seal of {seal.time} in a commit that does not follow {seal.commit}, which it names"
