"""The runs of a workspace."""

from __future__ import annotations

from pathlib import Path

from protoc_runtime import bundle
from protoc_runtime.record import record
from protoc_runtime.strict_json import parsed
from protoc_runtime.target import WORKTREE
from protoc_runtime.verdict_words import spoken
from protoc_runtime.workspace import Workspace


@record
class Listed:
    """One run. `state`: run, development, rehearsal, unfinished, refused, damaged; `verdict` may be empty."""

    folder: Path
    at: str
    state: str
    verdict: str


def list_runs(workspace: Workspace) -> list[Listed]:
    """Every run below `runs` and `rehearsals`, oldest first."""
    folders = [
        folder
        for root in (workspace.runs, workspace.root / "rehearsals")
        if root.is_dir()
        for folder in sorted(root.glob("*/*"))
        if folder.is_dir() and not folder.name.endswith(WORKTREE)
    ]
    return sorted(map(_listed, folders), key=lambda item: (item.at, bundle.number(item.folder), item.folder))


def _listed(folder: Path) -> Listed:
    at = folder.name.partition("_")[0]
    if folder.name.endswith(bundle.UNFINISHED):
        return Listed(folder, at, "refused" if bundle.refused_launch(folder) else "unfinished", "")
    try:
        predicate = parsed((folder / bundle.RECEIPT).read_bytes())["predicate"]
        final = folder / bundle.STAGES[-1] / bundle.SUMMARY
        verdict = parsed(final.read_bytes())["verdict"] if final.is_file() else predicate["verdict"]
        return Listed(folder, at, str(predicate["run"]["kind"]), spoken(verdict))
    except (OSError, ValueError, KeyError, TypeError):
        return Listed(folder, at, "damaged", "")
