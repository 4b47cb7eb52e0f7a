"""Every difference between what was sealed and what is there."""

from __future__ import annotations

from protoc_runtime.catalogue import seal as kinds
from protoc_runtime.diagnostics import Findings
from protoc_runtime.seal_format import Pinned, PinnedInput, Pins


def compare(sealed: Pins, present: Pins, *, meaning_known: bool = True, recorded: str = "") -> Findings:
    """Name every difference; only errors forbid a run that counts.

    `meaning_known`: the present spec digest was computed from the text itself, by the compiler. Without it another
    text is an error, since its meaning cannot be compared. `recorded`: the folder of a recorded subject; its rows may
    be made after the seal, so they are compared only if the seal pins some of them.
    """
    findings = Findings()
    if sealed.spec != present.spec:
        findings.add(kinds.SPEC_CHANGED, None, found=_short(present.spec), expected=_short(sealed.spec))
    elif sealed.raw.sha256 != present.raw.sha256:
        findings.add(kinds.SAME_MEANING if meaning_known else kinds.TEXT_CHANGED, None, path=present.raw.path)
    _compare_inputs(findings, sealed, present)
    _compare_code(findings, sealed, present, recorded)
    if sealed.spec == present.spec:  # else the package differs because the protocol does
        _compare_package(findings, sealed, present)
    return findings


def _compare_inputs(findings: Findings, sealed: Pins, present: Pins) -> None:
    there = {pin.path: pin for pin in present.inputs}
    for pin in sealed.inputs:
        found = there.pop(pin.path, None)
        if found is None:
            findings.add(kinds.MISSING, None, path=pin.path)
        elif found.sha256 != pin.sha256:
            kind = kinds.SAME_MEANING if _same_text(pin, found) else kinds.INPUT_CHANGED
            digest, expected = _short(found.sha256), _short(pin.sha256)
            findings.add(kind, None, path=pin.path, table=pin.table, found=digest, expected=expected)
    for path in there:
        findings.add(kinds.ADDED, None, path=path)


def _compare_code(findings: Findings, sealed: Pins, present: Pins, recorded: str) -> None:
    there = {pin.path: pin for pin in present.code}
    for pin in sealed.code:
        found = there.pop(pin.path, None)
        if found is None:
            findings.add(kinds.MISSING, None, path=pin.path)
        elif found.sha256 != pin.sha256:
            digest, expected = _short(found.sha256), _short(pin.sha256)
            findings.add(kinds.CODE_CHANGED, None, path=pin.path, found=digest, expected=expected)
    later = bool(recorded) and not any(_within(pin, recorded) for pin in sealed.code)
    for pin in there.values():
        if not (later and _within(pin, recorded)):
            findings.add(kinds.ADDED, None, path=pin.path)


def _compare_package(findings: Findings, sealed: Pins, present: Pins) -> None:
    before, now = sealed.package.files, present.package.files
    for path in sorted({*before, *now}):
        if before.get(path) != now.get(path):
            findings.add(kinds.PACKAGE_CHANGED, None, path=path, package=sealed.package.name)


def _same_text(sealed: PinnedInput, present: PinnedInput) -> bool:
    return bool(sealed.text) and sealed.text == present.text


def _within(pin: Pinned, folder: str) -> bool:
    return pin.path.startswith(folder.rstrip("/") + "/")


def _short(digest: str) -> str:
    return digest.removeprefix("sha256:")[:12]
