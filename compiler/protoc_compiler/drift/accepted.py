"""The file of accepted changes: fingerprints with reasons, written by people, beside the new protocol.

Accepting is not hiding: an accepted change is still shown, with its reason; it only no longer fails the review.
"""

from __future__ import annotations

import os

from protoc_compiler.catalogue import drift as kinds
from protoc_compiler.drift.model import Change
from protoc_compiler.nodes import Mapping, Scalar, Sequence
from protoc_runtime.diagnostics import Findings, Span
from protoc_runtime.record import record

FILE = "drift-accepted.yaml"
_KEYS = ("change", "fingerprint", "reason", "by", "at")


@record
class Entry:
    """One accepted change: which one, why, and by whom."""

    fingerprint: str
    reason: str
    change: str
    by: str
    span: Span


def beside(spec: str) -> str | None:
    """The file beside a spec, if there is one."""
    path = os.path.join(os.path.dirname(spec), FILE)
    return path if os.path.isfile(path) else None


def load(path: str, findings: Findings) -> tuple[Entry, ...]:
    """Every entry; what is wrong with the file goes to `findings` (E2701)."""
    from protoc_compiler import source

    if os.path.isfile(path) and os.path.getsize(path) == 0:
        return ()  # a shell has just made it, for what is about to be written
    root = source.read(path, path, findings)
    listed = root.get("accepted") if root is not None else None
    if root is None:
        return ()
    if not isinstance(listed, Sequence) or len(root.entries) != 1:
        findings.add(kinds.BAD_ACCEPTED, root.span, found="no list `accepted` that stands alone")
        return ()
    made = []
    for item in listed.items:
        entry = _entry(item, findings) if isinstance(item, Mapping) else None
        if entry is not None:
            made.append(entry)
        elif not isinstance(item, Mapping):
            findings.add(kinds.BAD_ACCEPTED, item.span, found="an entry that is no map")
    return tuple(made)


def _entry(item: Mapping, findings: Findings) -> Entry | None:
    given = {key.text: value.text.strip() for key, value in item.entries if isinstance(value, Scalar)}
    unknown = [key.text for key, _ in item.entries if key.text not in _KEYS]
    lacking = [name for name in ("fingerprint", "reason") if not given.get(name)]
    if unknown or lacking:
        found = f"the unknown key `{unknown[0]}`" if unknown else f"an entry without `{lacking[0]}`"
        findings.add(kinds.BAD_ACCEPTED, item.span, found=found)
        return None
    key = item.key("fingerprint")
    span = key.span if key is not None else item.span
    return Entry(given["fingerprint"], given["reason"], given.get("change", ""), given.get("by", ""), span)


def told_unused(entries: tuple[Entry, ...], changes: tuple[Change, ...], path: str, findings: Findings) -> None:
    """Warn of entries that no change has (W2702): they would accept it the next time in silence."""
    known = {change.fingerprint for change in changes}
    for entry in entries:
        if entry.fingerprint not in known:
            name = entry.change or entry.fingerprint
            findings.add(kinds.UNUSED_ACCEPTED, entry.span, name=name, file=os.path.basename(path))


def open_changes(changes: tuple[Change, ...], entries: tuple[Entry, ...]) -> tuple[Change, ...]:
    """What nobody has accepted."""
    known = {entry.fingerprint for entry in entries}
    return tuple(change for change in changes if change.fingerprint not in known)


def paste(changes: tuple[Change, ...]) -> str:
    """Entries for changes, ready to be pasted; whoever pastes them fills in the reason."""
    lines = ["accepted:"]
    for change in changes:
        lines += [
            f"  - change: {change.id} at {change.path}",
            f"    fingerprint: {change.fingerprint}",
            "    reason:",
        ]
    return "\n".join(lines) + "\n"
