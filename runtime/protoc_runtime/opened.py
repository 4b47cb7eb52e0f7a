"""A finished bundle, opened: its receipt, its summary, and the digests that its formulas read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from protoc_runtime import bundle
from protoc_runtime.canonical import read_plain
from protoc_runtime.catalogue import bundle as kinds
from protoc_runtime.diagnostics import Findings, Refused
from protoc_runtime.record import record
from protoc_runtime.strict_json import parsed


@record
class Opened:
    """A bundle whose receipt and summary can be read."""

    folder: Path
    receipt: Mapping[str, Any]
    predicate: Mapping[str, Any]
    summary: Mapping[str, Any]


def open_bundle(folder: Path) -> Opened:
    """Read receipt and summary. Raises `Refused` (E1401) for a folder that is no finished run."""
    try:
        receipt = parsed(read_plain(folder / bundle.RECEIPT))
        summary = parsed(read_plain(folder / bundle.SUMMARY))
        predicate = receipt["predicate"]
        if not isinstance(predicate, dict) or not isinstance(summary, dict):
            raise TypeError("not an object")
        return Opened(folder, receipt, predicate, summary)
    except OSError as fault:
        reason = _unfinished(folder) or f"{Path(fault.filename).name}: {fault.strerror}"
    except (ValueError, KeyError, TypeError) as fault:
        reason = f"its receipt or summary cannot be read ({type(fault).__name__}: {fault})"
    raise Refused([Findings().add(kinds.NOT_A_BUNDLE, None, path=folder, reason=reason)])


def _unfinished(folder: Path) -> str:
    """Why the folder has no receipt, where that is because its run has not ended."""
    ended = not folder.name.endswith(bundle.UNFINISHED)
    return "" if ended else "it was interrupted or still goes on (`protoc run SPEC --resume RUN` continues it)"


def load_digests(folder: Path) -> dict[str, str]:
    """The digests of files that the formulas of a bundle read."""
    made: dict[str, str] = parsed(read_plain(folder / bundle.DIGESTS))
    return made
