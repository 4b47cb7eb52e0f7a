"""Values that an earlier run has measured: whether a bundle has them, and whether it may be built on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from protoc_runtime import bundle
from protoc_runtime.canonical import digest_bytes, digest_file, read_plain
from protoc_runtime.catalogue import seal as kinds
from protoc_runtime.declared import Declared, Freeze
from protoc_runtime.diagnostics import Findings, Refused, Span
from protoc_runtime.opened import open_bundle
from protoc_runtime.strict_json import parsed


def check_measured(declared: Declared, folder: Path, findings: Findings) -> None:
    """Whether each frozen value that an earlier run gave is what this run has, and whether the run verifies (E1118).

    The whole bundle is verified, so this takes as long as `protoc verify`.
    """
    for item in declared.freeze:
        if item.measured is not None:
            for reason in (*differences(item, folder), *_unverified(folder / item.measured.run)):
                findings.add(kinds.NO_BASELINE, None, name=item.name, run=item.measured.run, reason=reason)
                break


def compare_measured(item: Freeze, folder: Path, span: Span, findings: Findings) -> None:
    """The same from the files alone, where the bundle is there; sealing tells that it is not."""
    if item.measured is None or not (folder / item.measured.run).is_dir():
        return
    for reason in differences(item, folder):
        findings.add(kinds.NO_BASELINE, span, name=item.name, run=item.measured.run, reason=reason)
        break


def differences(item: Freeze, folder: Path) -> Iterator[str]:
    """Why a run is not the one, or its metric not the value, that a frozen value states."""
    assert item.measured is not None
    path = folder / item.measured.run
    try:
        opened = open_bundle(path)
        receipt = digest_bytes(read_plain(path / bundle.RECEIPT))
        stated = parsed(read_plain(path / bundle.MANIFEST))["files"][bundle.SUMMARY]["sha256"]
        manifest = digest_file(path / bundle.MANIFEST)
        summary = digest_file(path / bundle.SUMMARY)
        kind = opened.predicate["run"]["kind"]
        pinned, metrics = opened.predicate["manifest"], opened.summary["metrics"]
    except Refused as refused:
        yield refused.diagnostics[0].message
        return
    except (OSError, ValueError, KeyError, TypeError) as fault:
        yield f"it is no finished run ({type(fault).__name__}: {fault})"
        return
    if kind != "run" or not opened.summary.get("claimable"):
        yield f"it is a {kind}, not a run of a sealed protocol"
    if receipt != item.measured.receipt.removeprefix("sha256:"):
        yield f"its receipt is sha256:{receipt}, not {item.measured.receipt}"
    if manifest != pinned or summary != stated:
        yield "its files are not those of its receipt"
    yield from _metric_differs(item, metrics)


def _metric_differs(item: Freeze, metrics: dict[str, Any]) -> Iterator[str]:
    assert item.measured is not None
    name = item.measured.metric
    if name not in metrics:
        known = ", ".join(f"`{metric}`" for metric in metrics) or "none"
        yield f"it has no metric `{name}`; it has {known}"
    elif metrics[name] is None:
        yield f"its metric `{name}` is undefined"
    elif not _same(item, metrics[name]):
        yield f"its metric `{name}` is {written(metrics[name])}"


def _same(item: Freeze, value: Any) -> bool:
    if isinstance(value, dict):
        number = Fraction(value["float"]) if "float" in value else Fraction(int(value["num"]), int(value["den"]))
        unit = item.type.unit if item.type.kind == "quantity" else ""
        return not isinstance(item.value, bool) and item.value == number and value.get("unit", "") == unit
    return type(item.value) is type(value) and item.value == value


def written(value: Any) -> str:
    """A metric of a summary as a spec may write it: an exact decimal, else the quotient."""
    if not isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    if "float" in value:
        return str(value["float"])
    from protoc_runtime.reading.decimals import decimal_text

    unit = f" {value['unit']}" if "unit" in value else ""
    return decimal_text(Fraction(int(value["num"]), int(value["den"]))) + unit


def _unverified(folder: Path) -> Iterator[str]:
    from protoc_runtime.verifying import verify

    try:
        _, findings = verify(folder, None)
    except Refused as refused:
        yield refused.diagnostics[0].message
        return
    for fault in findings:
        if fault.severity == "error":
            yield f"it does not verify: {fault.message}"
