"""The report of parity without which a phase does not lead on: whether it is here, has passed, and speaks of its run.

`protoc parity` notes the digest of each report in the registry, so that one that was edited is not known. The report
holds the digests of the rows that were compared: the candidate's must be in the bundle of the run of the phase, the
reference's in the bundle of the run that had led to it. Every phase asks whether the files that would be run are those
of the run that has led on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from protoc_runtime import bundle
from protoc_runtime.canonical import digest_bytes, digest_file, read_plain, write_atomic
from protoc_runtime.declared import Declared
from protoc_runtime.parity.reporting import FORMAT, SAME
from protoc_runtime.phases.allowed import Lacking, led_by
from protoc_runtime.phases.comparing import listed
from protoc_runtime.phases.entries import Entry
from protoc_runtime.phases.machine import phase_of
from protoc_runtime.plan import Plan
from protoc_runtime.registry_file import change, load
from protoc_runtime.strict_json import parsed

KIND = "parity"


def asks(declared: Declared) -> bool:
    """Whether some phase leads on only with a report."""
    return any(phase.parity for phase in declared.phases)


def note(registry: Path, declared: Declared, report: Path, verdict: str) -> None:
    """Write into the registry that a report was written. Raises `Refused` (E1303, E1310)."""
    about = {"protocol": declared.id, "version": declared.version, "spec": declared.digest}
    body = {**about, "report": f"sha256:{digest_file(report)}", "verdict": verdict}
    change(registry, lambda draft: draft.add(KIND, body))


def lacking(made: Plan, known: Sequence[Entry]) -> dict[str, Lacking]:
    """By phase, why a report does not let it begin; nothing of a phase that needs none, or has it."""
    found = {}
    for phase in made.declared.phases:
        led = _leading(made.declared, known, phase.name)
        why = "; ".join(_faults(made, known, led)) if led is not None else ""
        if led is not None and why:
            file = phase_of(made.declared, led.phase).parity
            found[phase.name] = Lacking(led.phase, file, why, _how(made, known, led))
    return found


def _leading(declared: Declared, known: Sequence[Entry], name: str) -> Entry | None:
    """The run that leads to a phase, if it does so only with a report."""
    led = led_by(declared, known, name)
    return led if led is not None and phase_of(declared, led.phase).parity else None


def _before(made: Plan, known: Sequence[Entry], led: Entry) -> Entry | None:
    """The run that had led to a run: its decisions are the frozen ones."""
    return led_by(made.declared, [entry for entry in known if entry.at < led.at], led.phase)


# --- what is wrong with a report ------------------------------------------------------------------------------------


def _faults(made: Plan, known: Sequence[Entry], led: Entry) -> Iterator[str]:
    """Everything that keeps the report from speaking for a run."""
    data = _data(made.folder / phase_of(made.declared, led.phase).parity)
    if data is None:
        yield "there is none"
        return
    report = _read(data)
    if report is None:
        yield "that file is no report of `protoc parity`"
        return
    if f"sha256:{digest_bytes(data)}" not in _noted(made):
        yield "the registry does not know it, so it was edited, or written elsewhere"
    if report["verdict"] != SAME:
        yield f"its verdict is {report['verdict']}, so that runtime is no optimised one"
    if report["protocol"] != made.declared.digest:
        yield "another protocol has compared, with columns or a threshold of its own"
    for side, run in (("reference", _before(made, known, led)), ("candidate", led)):
        if run is not None and _absent(made, run):
            yield f"the bundle {run.run} is not here, whose rows are its {side}"
        elif run is None or report[side] not in _rows_of(made, run):
            frozen = ", the frozen one" if side == "reference" else ""
            yield f"its {side} is not what {run.run if run else 'a run'} has left{frozen}"


def _absent(made: Plan, run: Entry) -> bool:
    """Whether the bundle of a run is not in this workspace, as in a clone that got the registry alone."""
    return not (made.request.workspace.root / run.run).is_dir()


def _data(path: Path) -> bytes | None:
    try:
        return read_plain(path)
    except OSError:
        return None


def _read(data: bytes) -> dict[str, Any] | None:
    """What a report says: its verdict, and the digests of the protocol and of both files."""
    try:
        report = parsed(data)
        digests = {name: report[name]["sha256"] for name in ("reference", "candidate")}
        made = {"verdict": report["verdict"], "protocol": report["protocol"]["spec_digest"], **digests}
        return made if report["schema"] == FORMAT else None
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _noted(made: Plan) -> set[str]:
    lines = load(made.request.workspace.registry).lines.values()
    own = (made.declared.id, made.declared.version)
    bodies = [line.body for line in lines if line.kind == KIND]
    return {str(body["report"]) for body in bodies if (body["protocol"], body["version"]) == own}


def _rows_of(made: Plan, run: Entry) -> set[str]:
    """The digests of the rows of a run that can be compared; none where its bundle is not here, or not that one."""
    files = listed(made.request.workspace.root / run.run, run) or {}
    names = [f"{bundle.ROWS}/{name}.jsonl" for name in _tables(made.declared)]
    return {str(files[name]["sha256"]) for name in names if name in files}


def _tables(declared: Declared) -> list[str]:
    """The tables of the subject whose rows have every column that is compared."""
    due = set(declared.parity.columns) if declared.parity is not None else set()
    given = [table for table in declared.tables if table.source == "subject" and not table.record]
    return [table.name for table in given if due <= {column.name for column in table.stored}]


def _how(made: Plan, known: Sequence[Entry], led: Entry) -> str:
    """The command that makes the report."""
    shown, before = made.request.workspace.shown(made.folder), _before(made, known, led)
    rows = f"{bundle.ROWS}/{(*_tables(made.declared), 'TABLE')[0]}.jsonl"
    file = phase_of(made.declared, led.phase).parity
    sides = f"--reference {before.run if before else 'RUN'}/{rows} --candidate {led.run}/{rows}"
    command = f"protoc parity {shown} {sides} --out {shown}/{file}"
    gone = [run.run for run in (before, led) if run is not None and _absent(made, run)]
    first = f"bring {' and '.join(gone)} here from where it was run; " if gone else ""
    return f"{first}`{command}` compares them; rename an earlier report, and keep it"


# --- what a run tells of it -----------------------------------------------------------------------------------------


def entry_of(made: Plan) -> dict[str, Any]:
    """What the event of entering a phase tells of the report; nothing where it needs none."""
    file, data = _entering(made)
    if data is None:
        return {}
    runtime = parsed(data).get("runtime", {}).get("identity")
    return {"parity": {"file": file, "sha256": f"sha256:{digest_bytes(data)}", "runtime": runtime}}


def keep(made: Plan, folder: Path) -> None:
    """Copy the report into the folder of a run."""
    file, data = _entering(made)
    if data is not None:
        (folder / bundle.FROZEN).mkdir(exist_ok=True)
        write_atomic(folder / bundle.FROZEN / Path(file).name, data)


def _entering(made: Plan) -> tuple[str, bytes | None]:
    """The report with which the phase of a run is entered: its file, and its bytes."""
    led = _leading(made.declared, made.history, made.phase)
    file = phase_of(made.declared, led.phase).parity if led is not None else ""
    return file, _data(made.folder / file) if file else None


def faults(folder: Path, entered: Mapping[str, Any] | None) -> Iterator[tuple[str, str]]:
    """Where a bundle does not hold the report with which its phase was entered: file, and what differs."""
    told = (entered or {}).get("parity")
    if told is not None:
        name = f"{bundle.FROZEN}/{Path(str(told['file'])).name}"
        data = _data(folder / name)
        if data is None or f"sha256:{digest_bytes(data)}" != told["sha256"]:
            yield name, "it is not the report of parity that the run began with"
