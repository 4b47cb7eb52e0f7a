"""What a run observes of the freeze manifest: the row of a record `from: manifest`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

from protoc_runtime.canonical import digest_bytes, read_plain
from protoc_runtime.catalogue import manifests as kinds
from protoc_runtime.declared import Declared
from protoc_runtime.diagnostics import Findings, Refused
from protoc_runtime.manifests.checking import Fault
from protoc_runtime.manifests.meaning import Unreadable, flaws
from protoc_runtime.manifests.plain_data import parse
from protoc_runtime.manifests.records import DIGESTS, Field, Manifest, member

ABSENT: dict[str, Any] = {
    "status": None, "targets_equal": False, "complete": False, "digests_valid": False, "valid": False, "sha256": None,
}  # fmt: skip


def facts(declared: Declared, folder: Path, package: Path) -> dict[str, Any]:
    """The row, from the manifest beside the spec in `folder`, by the validator of the generated `package`. Without the
    file, or with one that is no manifest of any phase, nothing is valid and every declared field is undefined."""
    found = manifest_path(declared, folder)
    return facts_of(declared, read_plain(found) if found is not None and found.is_file() else None, package)


def manifest_path(declared: Declared, folder: Path) -> Path | None:
    """Where the protocol's manifest stands, whether it exists or not."""
    if declared.manifest is None or not declared.manifest.file:
        return None
    return folder / declared.manifest.file


def facts_of(declared: Declared, data: bytes | None, package: Path) -> dict[str, Any]:
    """The same of the manifest's bytes; None where there is no file."""
    from protoc_runtime.packages import load_manifest

    manifest = declared.manifest
    assert manifest is not None, "a record `from: manifest` needs a manifest"
    row = ABSENT | {field.alias: None for field in manifest.fields if field.alias}
    if data is None:
        return row
    row["sha256"] = digest_bytes(data)
    try:
        document = parse(data, manifest.file)
    except Unreadable:
        return row
    if not isinstance(document, Mapping) or next(flaws(document), None) is not None:
        return row
    return row | _row(manifest, document, load_manifest(package))


def examined(module: ModuleType, document: object, phase: str) -> tuple[Fault, ...]:
    """Every fault that the generated validator finds. Raises `Refused` (E2136) for a phase that it does not know."""
    if phase not in module.CONTRACT.phases:
        from protoc_runtime.visible import visible

        known = ", ".join(f"`{name}`" for name in module.CONTRACT.phases)
        hint = f"its phases are {known}"
        raise Refused([Findings().add(kinds.NO_SUCH_PHASE, None, phase=visible(phase), hint=hint)])
    found: tuple[Fault, ...] = module.check(document, phase)
    return found


def _row(manifest: Manifest, document: Mapping[str, Any], module: ModuleType) -> dict[str, Any]:
    status = _at(document, manifest.status)
    phase = next((phase.name for phase in manifest.phases if phase.status == status), None)
    found = examined(module, document, phase or manifest.phases[0].name)
    wrong = {fault.path for fault in found}
    copies = [field.path for field in manifest.fields if any(value.kind == "copy" for value in field.values)]
    digests = {field.path for field in manifest.fields if any(value.kind in DIGESTS for value in field.values)}
    return {
        "status": manifest.member(status),
        "targets_equal": not wrong & set(copies) and all(_at(document, path) is not None for path in copies),
        "complete": phase is not None and not any(fault.kind == "missing" for fault in found),
        "digests_valid": not any(fault.kind == "value" and _declared(fault.path) in digests for fault in found),
        "valid": phase is not None and not found,
    } | {field.alias: _told(field, document, wrong) for field in manifest.fields if field.alias}


def _declared(path: str) -> str:
    """A path as it is declared: of each item of a list."""
    import re

    return re.sub(r"\[\d+\]", "[]", path)


def _at(value: Any, path: str) -> Any:
    for part in path.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def _told(field: Field, document: Mapping[str, Any], wrong: set[str]) -> Any:
    """The value of a field as a column holds it; undefined where it does not fit."""
    value = None if field.path in wrong else _at(document, field.path)
    kind = field.values[0].kind
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, (int, Decimal)) and kind == "decimal":
        return Fraction(value)
    if kind == "enum":
        return member(value)
    if kind in DIGESTS:
        return str(value).removeprefix("sha256:")
    return datetime.fromisoformat(value).isoformat() if kind == "time" else value
