"""What a workspace trusts, as the table `[trust]` of `protoc.toml` names it, by paths from the workspace."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from protoc_runtime.catalogue import signing as kinds
from protoc_runtime.diagnostics import Findings, Refused
from protoc_runtime.signing.checking import Trust
from protoc_runtime.workspace import MARKER, Workspace

_KNOWN = ("keys", "signers", "timestamp")


def of_workspace(workspace: Workspace) -> Trust:
    """The trusted keys, signers and certificates. Raises `Refused` (E2402) where the table cannot be read."""
    path = workspace.root / MARKER
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8")).get("trust", {}) if path.is_file() else {}
    except (OSError, ValueError) as fault:
        raise _bad(path, str(fault)) from None
    if not isinstance(table, dict) or set(table) - set(_KNOWN):
        raise _bad(path, f"[trust] has {', '.join(_KNOWN)}, and nothing else")
    signers = table.get("signers")
    if signers is not None and not isinstance(signers, str):
        raise _bad(path, "signers is the path of one file")
    return Trust(
        _paths(workspace, path, table.get("keys", [])),
        workspace.root / signers if signers else None,
        _paths(workspace, path, table.get("timestamp", [])),
    )


def _paths(workspace: Workspace, path: Path, given: Any) -> tuple[Path, ...]:
    if not isinstance(given, list) or not all(isinstance(name, str) for name in given):
        raise _bad(path, "keys and timestamp are lists of paths")
    return tuple(workspace.root / name for name in given)


def _bad(path: Path, reason: str) -> Refused:
    return Refused([Findings().add(kinds.BAD_KEY, None, path=path, reason=reason)])
