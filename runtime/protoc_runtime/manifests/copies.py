"""Canonical blocks: one block of a JSON or YAML file is the source, and the protocol holds a copy of its meaning."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from protoc_runtime.canonical import read_plain
from protoc_runtime.catalogue import manifests as kinds
from protoc_runtime.declared import Declared
from protoc_runtime.diagnostics import Findings, Refused
from protoc_runtime.manifests.meaning import Unreadable, at, differences, flaws, parse_json
from protoc_runtime.manifests.plain_data import parse
from protoc_runtime.manifests.records import Copy
from protoc_runtime.workspace import find_workspace, real


def read_block(folder: Path, file: str, pointer: str) -> Any:
    """The block that a spec in `folder` names. Raises Unreadable with the reason, and OSError."""
    path = locate(folder, file)
    block = at(parse(read_plain(path), path.name), pointer)
    for where, reason in flaws(block):
        raise Unreadable(f"{where or 'the block'}: {reason}")
    return block


def locate(folder: Path, file: str) -> Path:
    """The file beside the spec, else from the root of the workspace. Raises Unreadable for a path that leaves both."""
    root = find_workspace(folder).root
    given = Path(file)
    for start in (folder, root):
        path = start / given
        inside = any(real(path).is_relative_to(real(place)) for place in (folder, root))
        if given.is_absolute() or not inside:
            raise Unreadable("the path leaves the protocol's folder and the workspace")
        if path.is_file():
            return path
    raise Unreadable("there is no such file beside the spec, nor from the root of the workspace")


def block_of(copy: Copy) -> Any:
    """The block that the protocol holds."""
    return parse_json(copy.block.encode())


def check_copies(declared: Declared, folder: Path, findings: Findings) -> None:
    """Report (E2131, E2132) each canonical block whose file is gone or says something else than the protocol."""
    for item in declared.freeze:
        if item.copy is None:
            continue
        try:
            there = read_block(folder, item.copy.file, item.copy.pointer)
        except (Unreadable, OSError) as fault:
            reason = getattr(fault, "strerror", None) or fault
            findings.add(kinds.NO_BLOCK, None, place=item.copy.shown, name=item.name, reason=reason)
            continue
        for path, ours, theirs in differences(block_of(item.copy), there):
            findings.add(
                kinds.BLOCK_DRIFT, None, place=item.copy.shown, name=item.name, path=path or "(the whole block)",
                ours=ours, theirs=theirs,
            )  # fmt: skip


def require_copies(declared: Declared, folder: Path) -> None:
    """Refuse (E2131, E2132) to go on where a canonical block is not what the protocol holds."""
    if any(item.copy is not None for item in declared.freeze):
        findings = Findings()
        check_copies(declared, folder, findings)
        if findings.failed:
            raise Refused(findings.sorted())
