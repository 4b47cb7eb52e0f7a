"""What a bundle says of its splits, against its seal and against what its workspace once held."""

from __future__ import annotations

from pathlib import Path

from protoc_runtime import bundle
from protoc_runtime.auditing import FILE as AUDIT
from protoc_runtime.auditing import as_json, rows_of
from protoc_runtime.canonical import read_plain
from protoc_runtime.diagnostics import Findings
from protoc_runtime.history import check_registry, check_seals
from protoc_runtime.opened import Opened
from protoc_runtime.packages import load_protocol
from protoc_runtime.seal_format import from_bytes
from protoc_runtime.strict_json import parsed
from protoc_runtime.verification.told import differs
from protoc_runtime.workspace import Workspace


def check_audits(opened: Opened, findings: Findings) -> None:
    """`audit.json` and the table of audits against the seal that pins them."""
    seal = from_bytes(read_plain(opened.folder / bundle.SEAL).removesuffix(b"\n"))
    if opened.predicate["run"]["kind"] == "rehearsal" or not seal.pins.audits:
        return
    if read_plain(opened.folder / AUDIT) != bundle.in_order(as_json(seal.pins.audits)):
        differs(findings, AUDIT, "what the seal pins", "another audit")
    declared = load_protocol(opened.folder / bundle.PACKAGE)
    from protoc_runtime.reading import raw_rows

    for table in declared.tables:
        if table.source == "audit":
            names = [column.name for column in table.stored]
            due = [{name: row[name] for name in names} for row in rows_of(seal.pins.audits)]
            if list(raw_rows(opened.folder / bundle.ROWS / f"{table.name}.jsonl")) != due:
                differs(findings, f"the rows of {table.name}", "the audits of the seal", "others")


def deleted(opened: Opened, registry: Path) -> Findings:
    """Of a bundle that stands where its run put it: readings and seals that are known and no longer there."""
    workspace = Workspace(registry.parent)
    if workspace.shown(opened.folder) != opened.predicate["run"]["name"]:
        return Findings()
    found = check_registry(workspace)
    about = opened.predicate["protocol"]
    spec = workspace.root / parsed(read_plain(opened.folder / bundle.PACKAGE / "package.json"))["spec"]
    found.extend(check_seals(workspace, spec, about["id"], about["version"]))
    return found
