"""What the seals of two versions pin beside the protocol: the input files and the files of the subject.

A version that was never sealed, or was edited since, pins nothing: then there is nothing to compare.
"""

from __future__ import annotations

import os

from protoc_compiler.drift.model import Delta, Thing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from protoc_runtime.seal_format import Pins

SEALS = "seal.jsonl"


def beside(path: str) -> bytes | None:
    """The seals beside a protocol; None where there are none."""
    try:
        with open(os.path.join(os.path.dirname(path), SEALS), "rb") as file:
            return file.read()
    except OSError:
        return None


def pins(seals: bytes | None, text: bytes) -> Pins | None:
    """What the last seal of exactly this text pins."""
    if not seals:
        return None
    from protoc_compiler.sha import sha256_hex
    from protoc_runtime.seal_format import from_bytes

    digest = sha256_hex(text)
    for line in reversed(seals.splitlines()):
        try:
            seal = from_bytes(line)
        except ValueError:
            continue
        if seal.pins.raw.sha256 == digest:
            return seal.pins
    return None


def differences(old: Pins | None, new: Pins | None) -> list[Delta]:
    """The files that only one side pins, or both with another content."""
    if old is None or new is None:
        return []
    before, after = _things(old), _things(new)
    found = []
    for key in dict.fromkeys((*after, *before)):
        was, now = before.get(key), after.get(key)
        if was is None or now is None:
            found.append(Delta(key[0], "added" if was is None else "removed", was, now))
        elif was.fields["sha256"] != now.fields["sha256"]:
            found.append(Delta(key[0], "sha256", was, now))
    return found


def _things(pinned: Pins) -> dict[tuple[str, str], Thing]:
    made = {}
    for entry in pinned.inputs:
        fields: dict[str, Any] = {"sha256": entry.sha256, "rows": entry.rows, "content": entry.content}
        file_key = ("data", "tables", entry.table, "file")
        shown = f"data.tables.{entry.table}.{entry.path}"
        made["PINNED_INPUT", entry.path] = Thing("PINNED_INPUT", entry.path, file_key, shown, fields)
    for file in pinned.code:
        fields = {"sha256": file.sha256}
        shown = f"procedure.subject.{file.path}"
        code = ("procedure", "subject", "code")
        made["PINNED_CODE", file.path] = Thing("PINNED_CODE", file.path, code, shown, fields)
    return made
