"""Keeps what the runner knows in secret out of a bundle, and finds what got in all the same.

What the subject printed is redacted where it was captured; then every file is scanned before the verdict is computed,
and what is written after that, before it is closed.
"""

from __future__ import annotations

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


def listed(found: Iterable[Found]) -> tuple[dict[str, Any], ...]:
    """Findings as a receipt lists them."""
    return tuple({"file": one.file, "line": one.line, "rule": one.rule, "sha256": one.sha256} for one in found)
