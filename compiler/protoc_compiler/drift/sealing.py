"""What a new seal says about the protocol that was sealed before: every change that lets more pass, and what was read.

It is written into the seal, so that no receipt under it can keep it quiet. Nothing can be accepted away: an accepted
change stands there with its reason, and one that an amendment declares with the name of the amendment.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from protoc_compiler.drift.accepted import beside, load
from protoc_compiler.drift.declared import declaring
from protoc_compiler.drift.model import Report
from protoc_compiler.drift.reading import Source
from protoc_compiler.drift.seen import LOOSER, read_splits
from protoc_runtime.canonical import digest_bytes, read_plain
from protoc_runtime.diagnostics import Findings, Refused
from protoc_runtime.seal_format import Seal

_COMMITS = 500


def drift(last: Seal | None, spec: Path, digest: str, registry: Path, runs: Path) -> dict[str, Any] | None:
    """The record for a seal of `spec` (whose spec digest is `digest`) after `last`; None where the meaning is the same.

    `registry` tells what was read; `runs` is a place where the old text may still be.
    """
    if last is None or last.pins.spec == digest:
        return None
    seen = list(read_splits(registry, last.pins.protocol)) if registry.is_file() else []
    made: dict[str, Any] = {"from": last.pins.spec, "version": last.pins.version, "seen": seen}
    compared = _compared(last, spec, runs)
    if compared is None:
        return {**made, "compared": False, "changes": [], "verdict": "undecided"}
    old, new, report = compared
    path = beside(str(spec))
    known = {entry.fingerprint: entry.reason for entry in (load(path, Findings()) if path else ())}
    changes = [
        {
            "id": change.id, "path": change.path, "direction": change.direction, "message": change.message,
            "fingerprint": change.fingerprint, "accepted": known.get(change.fingerprint),
            "declared": declaring(old, new, change.path),
        }
        for change in report.changes
        if change.direction in LOOSER
    ]  # fmt: skip
    return {**made, "compared": True, "changes": changes, "verdict": report.verdict.direction}


def _compared(last: Seal, spec: Path, runs: Path) -> tuple[Source, Source, Report] | None:
    from protoc_compiler.drift.reading import read
    from protoc_compiler.drift.review import review

    text = next((data for data in _texts(last, spec, runs) if digest_bytes(data) == last.pins.raw.sha256), None)
    if text is None:
        return None
    try:
        old, new = read(str(spec), "the sealed protocol", text), read(str(spec), str(spec))
        return old, new, review(old, new)
    except Refused:
        return None


def _texts(last: Seal, spec: Path, runs: Path) -> Iterator[bytes]:
    """Where the sealed text may be: in the commit that the seal names, in bundles, in other commits."""
    from protoc_runtime.git import git_output

    name = f"./{spec.name}"
    if last.commit:
        found = git_output(spec.parent, "cat-file", "blob", f"{last.commit}:{name}")
        if found is not None:
            yield found
    package = runs / last.pins.package.name
    for bundle in sorted(package.iterdir(), reverse=True) if package.is_dir() else ():
        kept = bundle / "spec" / spec.name
        if kept.is_file():
            yield read_plain(kept)
    listed = git_output(spec.parent, "log", "--format=%H", f"-{_COMMITS}", "--", os.fspath(spec.name)) or b""
    for commit in listed.decode("ascii", "replace").split():
        found = git_output(spec.parent, "cat-file", "blob", f"{commit}:{name}")
        if found is not None:
            yield found
