"""Whether a bundle holds: the same road as the run, from the bundle alone.

Files against the manifest, the manifest and the ledger against the receipt, the receipt against its rendering, the
seal against package and order, the results against a second computation by the bundle's own rules and a third one by
its `verify.py`; and, where there is one, the registry against the receipt. Faults are told in this order, so the
first one is the first thing that does not hold. Programs of a bundle are run only if they are those that its seal
pins.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from protoc_runtime import bundle
from protoc_runtime.catalogue import bundle as kinds
from protoc_runtime.diagnostics import Findings, Refused
from protoc_runtime.opened import Opened, open_bundle
from protoc_runtime.ordering import order_faults
from protoc_runtime.packages import load_protocol
from protoc_runtime.verification.files import check_copies, check_ledger, check_manifest, check_receipt, check_rendering
from protoc_runtime.verification.results import check_by_its_verifier, check_replay, check_results, check_sections
from protoc_runtime.verification.seals import check_package, check_programs, check_seal
from protoc_runtime.verification.secrets import check_secrets
from protoc_runtime.verification.splits import check_audits
from protoc_runtime.verification.workspace import check_workspace


def verify(folder: Path, registry: Path | None, *, whole: bool = True) -> tuple[Opened, Findings]:
    """Every fault of a bundle, the first one first; `registry` is that of the workspace, if one was found. Not `whole`:
    without the bundle's own second computation, which takes its time.

    Where files are not those of the manifest, or the ledger does not hold, nothing further is compared; the bundle's
    own program and the registry are asked only about a bundle in which everything else holds.
    """
    opened = open_bundle(folder)
    findings = Findings()
    for check in (check_manifest, check_ledger):
        _guarded(check, opened, findings)
        if findings.failed:
            return opened, findings  # what follows would tell the same fault once more, in other words
    for check in (
        check_receipt,
        check_rendering,
        check_copies,
        check_seal,
        check_package,
        check_sections,
        check_audits,
    ):
        _guarded(check, opened, findings)
    if not program_faults(opened).failed:
        _guarded(check_results, opened, findings)
        for check in (check_replay, _stages, *((check_by_its_verifier,) if whole else ())):
            if not findings.failed:
                _guarded(check, opened, findings)
    else:
        findings.add(kinds.NOT_RUN, None, path=folder)
    _guarded(check_secrets, opened, findings)
    if not findings.failed:
        check_workspace(opened, registry, findings)
    if registry is not None and not findings.failed:
        for reason in order_faults(opened, registry.parent):
            findings.add(kinds.WRONG_ORDER, None, reason=reason)
    return opened, findings


def _guarded(check: Callable[[Opened, Findings], None], opened: Opened, findings: Findings) -> None:
    """One check, of which a damaged file may be the end."""
    try:
        check(opened, findings)
    except Refused as refused:
        findings.extend(refused.diagnostics)
    except OSError as fault:
        name = os.path.relpath(fault.filename, opened.folder) if fault.filename else ""
        reason = ": ".join(part for part in (name, fault.strerror or str(fault)) if part)
        findings.add(kinds.NOT_A_BUNDLE, None, path=opened.folder, reason=reason)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as fault:
        reason = f"a file of it cannot be read ({type(fault).__name__}: {fault})"
        findings.add(kinds.NOT_A_BUNDLE, None, path=opened.folder, reason=reason)


def program_faults(opened: Opened) -> Findings:
    """Why the programs of the bundle are not those that its seal pins; such programs are not run."""
    findings = Findings()
    _guarded(check_programs, opened, findings)
    return findings


def _stages(opened: Opened, findings: Findings) -> None:
    """What was added after the run: sheets, and the final verdict."""
    from protoc_runtime.adjudication.checking import check_stages

    check_stages(opened.folder, load_protocol(opened.folder / bundle.PACKAGE), findings)
