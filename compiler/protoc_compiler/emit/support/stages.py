"""Later stages: what people told about a run, and the verdict that follows from it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from protoc_compiler.emit.support.bundle import Findings, check_manifest, files_below, load, sha256, statement
from protoc_compiler.emit.support.rows import PROTOCOL

STAGES = ("adjudication", "verdict")
LATE = ("RECEIPT.md", "manifest.json")  # made after the manifest of a stage, which cannot list copies of them


def judged_tables() -> list[str]:
    """The tables that people fill."""
    return [name for name, declared in PROTOCOL.tables.items() if declared.source == "adjudication"]


def stage_files(folder: Path) -> set[str]:
    """Files of later stages, which have manifests of their own; none where nobody judges anything."""
    if not judged_tables():
        return set()
    begun = next((f"{stage}.unfinished" for stage in STAGES if not (folder / stage).is_dir()), "")
    return {name for name in files_below(folder) if name.split("/")[0] in (*STAGES, begun)}


def late_copies(copies: dict[str, str]) -> set[str]:
    """Copies that no manifest lists."""
    return {path for path, source in copies.items() if source in LATE}


def check_copies(folder: Path, copies: dict[str, str], findings: Findings, prefix: str = "") -> None:
    """Files under the names that the protocol asks for are what they are copies of."""
    for path, source in copies.items():
        if (folder / source).is_file():
            same = (folder / path).is_file() and (folder / path).read_bytes() == (folder / source).read_bytes()
            findings.expect(same, f"{prefix}{path}: it is no copy of {prefix}{source}")


def check_stages(folder: Path, copies: dict[str, str], findings: Findings) -> None:
    """Manifest and receipt of each later stage that is there; its receipt names those before it."""
    before = {"run": folder / "receipt.json"}
    for stage in STAGES:
        place = folder / stage
        if judged_tables() and place.is_dir():
            outside = late_copies(copies) if stage == "verdict" else set()
            check_manifest(place, findings, outside, f"{stage}/")
            found = statement(load(place, "receipt.json", findings))
            check_named(stage, found, before, place, findings)
        before[stage] = place / "receipt.json"
    if (folder / "verdict").is_dir() and judged_tables():
        check_copies(folder / "verdict", copies, findings, "verdict/")


def check_named(stage: str, found: Any, before: dict[str, Path], place: Path, findings: Findings) -> None:
    """The digests that the receipt of a later stage states."""
    predicate = found.get("predicate") if isinstance(found, dict) else None
    if not isinstance(predicate, dict):
        findings.broken.append(f"{stage}/receipt.json is no in-toto Statement")
        return
    named = predicate.get("stages")
    for name, path in before.items():
        same = isinstance(named, dict) and path.is_file() and named.get(name) == sha256(path.read_bytes())
        findings.expect(same, f"{stage}/receipt.json: it does not name the receipt of the stage {name}")
    same = (place / "manifest.json").is_file() and predicate.get("manifest") == sha256(
        (place / "manifest.json").read_bytes()
    )
    findings.expect(same, f"{stage}/manifest.json: changed, its digest is not the one in its receipt")
    findings.checked.append(f"the receipt of the stage {stage}")
