"""Keeps what the runner knows in secret out of a bundle, and finds what got in all the same.

What the subject printed is redacted where it was captured; then every file is scanned before the verdict is computed,
and what is written after that, before it is closed. A finding blocks the verdict, whether the protocol speaks of it or
not: nothing is released from a bundle that nobody may be shown. What would stand in the receipt is left out of it.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from protoc_runtime import bundle
from protoc_runtime.canonical import write_atomic
from protoc_runtime.catalogue import adjudication as kinds
from protoc_runtime.credentials import redacted
from protoc_runtime.declared import Declared
from protoc_runtime.diagnostics import Findings, Refused
from protoc_runtime.scanning import Found, scan_bytes, scan_folder

BLOCKED = "BLOCKED"  # the verdict of a bundle with a finding, whatever the rules say
LEFT_OUT = "[left out: "


def loaded(declared: Declared, environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The credentials that the runner has for the providers of a protocol, by the name of their variable."""
    names = {provider.credential_env for provider in declared.providers if provider.credential_env}
    return {name: value for name in sorted(names) if (value := environment.get(name, "").strip())}


def redact_logs(folder: Path, secrets: Mapping[str, str]) -> None:
    """Take every form of the secrets out of what was captured during a run; digests in their place tell which."""
    logs = folder / bundle.LOGS
    for path in bundle.files_of(logs) if secrets and logs.is_dir() else ():
        if path.is_file() and not path.is_symlink():
            data = path.read_bytes()
            clean = redacted(data, secrets)
            if clean != data:
                write_atomic(path, clean)


def scan(folder: Path, secrets: Mapping[str, str], paths: Iterable[str] | None = None) -> list[Found]:
    """Every finding in the files of a folder, or in some of them."""
    return scan_folder(folder, secrets, paths)


def require_clean(files: Mapping[str, bytes], secrets: Mapping[str, str]) -> None:
    """Raise `Refused` (E1816) where a file that would close a stage shows a secret."""
    findings = Findings()
    for name, data in files.items():
        for found in scan_bytes(data, name, secrets):
            findings.add(kinds.SECRET_IN_RECEIPT, None, found=found.told(), where="receipt")
    if findings.failed:
        raise Refused(findings)


def blocked(declared: Declared, summary: Mapping[str, Any], found: Iterable[Found]) -> dict[str, Any]:
    """The summary of a bundle with these findings: blocked, unless a blocker that reads the scan has already fired.

    `blocked` keeps the verdict that the rules give, and says why it does not count.
    """
    found = list(found)
    fired = {name for name, value in summary.get("blockers", {}).items() if value is True}
    read = any("secret scan" in item.sources for item in declared.of("blockers") if item.name in fired)
    if not found or (read and not summary["released"]):
        return dict(summary)
    told = {"verdict": summary["verdict"], "because": blocked_by(found)}
    return {**summary, "verdict": BLOCKED, "released": False, "blocked": told}


def blocked_by(found: list[Found]) -> str:
    """What blocks a verdict, in words."""
    places = "place looks" if len(found) == 1 else "places look"
    return f"{len(found)} {places} like a credential, the first in {found[0].file}, line {found[0].line}"


def left_out(value: Any, secrets: Mapping[str, str]) -> Any:
    """A value with every text left out that shows a secret; in its place stand the rule and the digest of the text."""
    if isinstance(value, str):
        found = scan_bytes(json.dumps(value, ensure_ascii=False).encode(), "", secrets)
        digest = hashlib.sha256(value.encode()).hexdigest()
        return f"{LEFT_OUT}{found[0].rule}, sha256 {digest}]" if found else value
    if isinstance(value, Mapping):
        return {name: left_out(part, secrets) for name, part in value.items()}
    return [left_out(part, secrets) for part in value] if isinstance(value, (list, tuple)) else value


def same(stated: Any, there: Any) -> bool:
    """Whether a receipt states what there is; a text that was left out is known by its digest."""
    if isinstance(stated, str) and isinstance(there, str) and stated.startswith(LEFT_OUT):
        return stated == there or stated.endswith(f"sha256 {hashlib.sha256(there.encode()).hexdigest()}]")
    if isinstance(stated, Mapping) and isinstance(there, Mapping):
        return stated.keys() == there.keys() and all(same(stated[name], there[name]) for name in stated)
    if isinstance(stated, (list, tuple)) and isinstance(there, (list, tuple)):
        return len(stated) == len(there) and all(map(same, stated, there))
    return type(stated) is type(there) and bool(stated == there)


def listed(found: Iterable[Found]) -> tuple[dict[str, Any], ...]:
    """Findings as a receipt lists them."""
    return tuple({"file": one.file, "line": one.line, "rule": one.rule, "sha256": one.sha256} for one in found)
