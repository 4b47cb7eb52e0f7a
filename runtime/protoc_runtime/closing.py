"""The end of a run: observed rows, results, verdict, bundle, registry.

Everything that the verdict rests on is written into the bundle first as rows, and the rules are applied to exactly
these tables. The registry learns the verdict last, when the bundle has its final name; a run that ends in between is
closed by resuming it.
"""

from __future__ import annotations

import platform
import shutil
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from protoc_runtime import bundle, hardware, outputs
from protoc_runtime.attesting import attested
from protoc_runtime.auditing import FILE as AUDIT
from protoc_runtime.auditing import as_json, empty, rows_of
from protoc_runtime.canonical import digest_bytes
from protoc_runtime.catalogue import run as kinds
from protoc_runtime.chain import Line
from protoc_runtime.declared import Declared
from protoc_runtime.diagnostics import Diagnostic, Findings, Refused
from protoc_runtime.evaluating import evaluate, file_digests, unit_rows
from protoc_runtime.execution import Result
from protoc_runtime.expecting import ASKED, binding, require, unmet
from protoc_runtime.frozen_set import frozen_facts
from protoc_runtime.gathering import Tables, with_rows
from protoc_runtime.ledger import Ledger, read_events
from protoc_runtime.manifests.keeping import kept_facts
from protoc_runtime.observing import Observed, ProviderCalls, counters, observed_rows
from protoc_runtime.observing import Reading as Row
from protoc_runtime.opened import open_bundle
from protoc_runtime.packets import ignored, packet_files
from protoc_runtime.phases.comparing import changed_rows
from protoc_runtime.phases.history import facts
from protoc_runtime.phases.receipt import lacking
from protoc_runtime.plan import DEVELOPMENT, REHEARSAL, RUN, Plan
from protoc_runtime.readings import end_of
from protoc_runtime.receipt import Facts, LedgerFacts, RunFacts, statement
from protoc_runtime.receipt_sections import sections
from protoc_runtime.record import record, replace
from protoc_runtime.registry import Reading, close_readings, readings_of_rows
from protoc_runtime.registry import readings as registered
from protoc_runtime.rehearsing import synthetic_digests
from protoc_runtime.rendering import render
from protoc_runtime.replaying import case_lines
from protoc_runtime.run_records import seal_facts, subject_facts
from protoc_runtime.scanning import Found, scan_bytes
from protoc_runtime.seal import Seal, make_seal
from protoc_runtime.seal_format import PinnedAudit, to_bytes
from protoc_runtime.sealing import wanted_splits
from protoc_runtime.securing import blocked, left_out, listed, loaded, redact_logs, require_clean, scan
from protoc_runtime.surroundings import require_forced, walls_of
from protoc_runtime.target import target_facts
from protoc_runtime.verdict_words import word_of
from protoc_runtime.version import __version__
from protoc_runtime.written import row_files

FINISHED = "run_finished"
NO_SEAL = "a rehearsal: this is no seal"


@record
class Seen:
    """What a run has seen when every case has its outcome."""

    name: str
    started: str
    finished: str
    tables: Tables
    results: tuple[Result, ...]
    keys: Mapping[str, Any]
    readings: tuple[Reading, ...]
    warnings: tuple[Diagnostic, ...]
    stopped: str = ""  # why nothing was read and nobody was asked
    events: tuple[Line, ...] = ()  # of the ledger, read once when the run is closed
    batch: int | None = None  # microseconds from the first question to the last answer; None for a resumed run


@record
class Closed:
    """A finished run: its bundle, what the receipt says, and what was doubtful."""

    bundle: Path
    receipt: Mapping[str, Any]
    warnings: tuple[Diagnostic, ...]

    @property
    def released(self) -> bool:
        """Whether the verdict releases: exit status 0."""
        return bool(self.receipt["released"])


def close(made: Plan, rules: ModuleType, folder: Path, seen: Seen, ledger: Ledger) -> Closed:
    """Compute the verdict, end the ledger and close the bundle; its final folder. Raises `Refused` and OSError."""
    bundle.clear(folder)
    if seen.stopped:
        made = replace(made, splits=())  # it has read none
    secrets = loaded(made.declared)
    redact_logs(folder, secrets)
    seen = replace(seen, events=tuple(read_events(folder / bundle.LEDGER)))
    _write_given(made, folder, seen)
    found = scan(folder, secrets)
    readings = _all_readings(made, seen)
    seen = _expected(made, rules, folder, seen, readings, len(found))
    summary, written = _results(made, rules, folder, seen, readings, found)
    facts = _facts(made, seen, readings, summary)
    late = [*scan(folder, secrets, written), *_in_receipt(facts, secrets)]
    if late:  # what only the last files show counts, too
        found = sorted({*found, *late}, key=lambda one: (one.file, one.line, one.rule))
        summary, _ = _results(made, rules, folder, seen, readings, found)
    end = _end_of_ledger(ledger, summary)
    outputs.copy_early(made.declared, folder)
    _, manifest = bundle.seal_off(folder, outputs.outside(made.declared))
    facts = replace(facts, summary=summary, secrets=listed(found), ledger=end, manifest=manifest)
    receipt = left_out(statement(facts), secrets) if found else statement(facts)
    data = bundle.in_order(receipt)
    last = {bundle.RECEIPT: data, bundle.RENDERING: render(receipt["predicate"]).encode()}
    require_clean(last, secrets)
    bundle.put(folder, last)
    outputs.copy_late(made.declared, folder)
    final = bundle.finish(folder)
    register_end(made, seen, word_of(summary["verdict"]), digest_bytes(data))
    return Closed(final, receipt["predicate"], seen.warnings)


def _facts(made: Plan, seen: Seen, readings: tuple[Reading, ...], summary: dict[str, Any]) -> Facts:
    """What the receipt is made from, but for the end of the ledger, the manifest and the findings of the scan."""
    about = (made.phase, made.use, made.splits, seen.started, seen.finished, seen.stopped)
    run = RunFacts(seen.name, made.kind, *about)
    told = tuple(_told(reading) for reading in readings)
    return Facts(
        made.declared, run, summary, seen.results, made.seals, told, LedgerFacts(0, "", ""), "",
        environment(made.declared, summary),
        walls_of(seen.events), attested(seen.events),
        sections=sections(made.declared, seen.events), evidence=made.evidence,
        noted=tuple(seen.events[0].body.get("signatures", ())),
    )  # fmt: skip


def _in_receipt(facts: Facts, secrets: Mapping[str, str]) -> list[Found]:
    """What the receipt and its page would show. The digests that they still lack show nothing."""
    receipt = statement(facts)
    page = render(receipt["predicate"]).encode()
    parts = {bundle.RECEIPT: bundle.in_order(receipt), bundle.RENDERING: page}
    return [found for name, data in parts.items() for found in scan_bytes(data, name, secrets)]


def _results(
    made: Plan, rules: ModuleType, folder: Path, seen: Seen, readings: tuple[Reading, ...], found: list[Found]
) -> tuple[dict[str, Any], list[str]]:
    """The summary, with every file that it rests on written; and the names of the files that were written."""
    tables = _tables(made, folder, seen, readings, len(found))
    digests = _digests(made)
    summary = _summary(made, seen, evaluate(made.declared, rules, tables, digests))
    if seen.stopped:
        require_forced(made.declared, summary, seen.stopped)
    summary = blocked(made.declared, summary, found)
    return summary, _write(made, rules, folder, seen, tables, digests, summary)


def _tables(made: Plan, folder: Path, seen: Seen, readings: tuple[Reading, ...], secrets: int) -> Tables:
    """The rows of the run with those that the tool observed."""
    observed = replace(_observed(made, folder, seen, readings), secrets=secrets)
    return with_rows(made.declared, seen.tables, observed_rows(made.declared, observed))


def _expected(
    made: Plan, rules: ModuleType, folder: Path, seen: Seen, readings: tuple[Reading, ...], secrets: int
) -> Seen:
    """The same with a note of what was expected of answers and observed rows, where these are not held to it. Raises
    `Refused` (E1208) where they are: then nothing is scored."""
    if seen.stopped or not any(ASKED in table.due for table in made.declared.tables):
        return seen
    tables = _tables(made, folder, seen, readings, secrets)
    if binding({"kind": made.kind, "narrowed": made.narrowed, "splits": made.splits}):
        require(made.declared, rules, tables, ASKED)
        return seen
    notes = Findings()
    kind = kinds.MADE_UP if made.kind == REHEARSAL else kinds.EXPECTATION_OF_DATA
    for table, words in unmet(made.declared, rules, tables, (ASKED,)):
        notes.add(kind, None, table=table, expectation=words)
    return replace(seen, warnings=(*seen.warnings, *notes.sorted()))


def _digests(made: Plan) -> dict[str, str]:
    if made.kind == REHEARSAL:
        return synthetic_digests(made.declared)
    sealed = made.seals[-1].pins  # the bytes there may differ from these in line ends, which mean nothing
    return file_digests(made.declared, made.folder, sealed)


def register_end(made: Plan, seen: Seen, verdict: str, receipt: str) -> None:
    """Tell the registry how the readings of this run ended."""
    if seen.readings:
        ids = [reading.id for reading in seen.readings]
        close_readings(made.request.workspace.registry, ids, verdict=verdict, receipt=receipt)


def register_again(made: Plan, folder: Path) -> Closed:
    """Close the readings of a run that ended between its bundle and the registry. Raises `Refused` (E1205) if there is
    nothing left to do."""
    opened = open_bundle(folder)
    name = opened.predicate["run"]["name"]
    found = registered(made.request.workspace.registry, made.declared.id)
    ids = [reading.id for reading in found if reading.run == name and reading.state == "open"]
    if not ids:
        raise Refused([Findings().add(kinds.UNFINISHED_NOT_FOUND, None, path=folder, reason="it is finished")])
    receipt = digest_bytes((folder / bundle.RECEIPT).read_bytes())
    close_readings(made.request.workspace.registry, ids, verdict=word_of(opened.predicate["verdict"]), receipt=receipt)
    return Closed(folder, opened.predicate, ())


def environment(declared: Declared, summary: Mapping[str, Any]) -> dict[str, str]:
    """What computed the results; where durations are reported also the machine, without which they say nothing."""
    import polars

    measured = any(item.type.kind == "quantity" and item.type.unit == "s" for item in declared.of("metrics"))

    return {
        "protoc": __version__,
        "python": platform.python_version(),
        "polars": polars.__version__,
        "system": f"{platform.system()} {platform.machine()}",
        "format": str(summary["schema"]),
        **({"hardware": hardware.label()} if measured else {}),
    }


def _all_readings(made: Plan, seen: Seen) -> tuple[Reading, ...]:
    """Every reading of this protocol and of its rows, this run's included; a rehearsal has none but its own."""
    if made.kind == REHEARSAL:
        return tuple(
            Reading("rehearsal", made.declared.id, made.declared.version, split, "", (), made.use, seen.name, 0, "", "",
                    seen.started)
            for split in made.splits
        )  # fmt: skip
    names = [split.name for split in made.declared.splits]
    rows = wanted_splits(made.declared, made.seals[-1].pins, names)
    return readings_of_rows(made.request.workspace.registry, made.declared.id, rows)


def _observed(made: Plan, folder: Path, seen: Seen, readings: tuple[Reading, ...]) -> Observed:
    splits = {split.name for split in made.declared.splits}
    rows = tuple(
        Row(f"{number}:{reading.id[:12]}", reading.split, reading.use, reading.run, reading.at)
        for number, reading in enumerate(readings, 1)
        if reading.state not in ("void", "declared")
        and reading.split in splits
        and (reading.protocol, reading.version) == (made.declared.id, made.declared.version)
    )
    return Observed(
        seen.results, seen.keys, rows, seal_facts(made, seen.started), subject_facts(made), seen.started, seen.finished,
        _calls(made, seen), _target(made, seen), phase=made.phase, batch=seen.batch,
        changed=changed_rows(made, seen.tables), lacking=lacking(made, seen.name),
        sessions=_sessions(made, seen), git=frozen_facts(seen.events),
        phases=facts(made.declared, made.history), audits=tuple(rows_of(_audits(made))),
        manifest=kept_facts(made.declared, folder, made.request.package),
    )  # fmt: skip


def _audits(made: Plan) -> tuple[PinnedAudit, ...]:
    return empty(made.declared) if made.kind == REHEARSAL else made.seals[-1].pins.audits


def _calls(made: Plan, seen: Seen) -> dict[str, ProviderCalls]:
    """What the ledger tells of each provider."""
    if not made.declared.providers:
        return {}
    from protoc_runtime.providers.rows import observed_calls

    return observed_calls(list(seen.events), made.declared.providers, seen.keys)


def _sessions(made: Plan, seen: Seen) -> dict[str, list[dict[str, Any]]]:
    """What the ledger tells of an agent's sessions."""
    subject = made.declared.subject
    if subject is None or subject.session is None:
        return {}
    from protoc_runtime.agents.rows import session_rows

    return session_rows(seen.events, subject.session, seen.keys)


def _target(made: Plan, seen: Seen) -> dict[str, Any]:
    """What the ledger tells of the target."""
    if made.declared.target is None:
        return {}
    return target_facts(seen.events, made.declared.target.commit)


def _summary(made: Plan, seen: Seen, results: dict[str, Any]) -> dict[str, Any]:
    """The JSON of `score`, and what a run adds. Only a run that counts can release."""
    return {
        **results,
        "released": bool(results["released"]) and made.kind == RUN,
        "run": seen.name,
        "kind": made.kind,
        "claimable": made.kind == RUN,
        "narrowed": made.narrowed or bool(seen.stopped),
        "phase": made.phase,
        "splits": list(made.splits),
        "counters": counters(seen.results),
    }


def _write(
    made: Plan,
    rules: ModuleType,
    folder: Path,
    seen: Seen,
    tables: Tables,
    digests: Mapping[str, str],
    summary: Mapping[str, Any],
) -> list[str]:
    """What follows from the rows, and the rows that the tool makes; the names of these files."""
    files = row_files(made.declared, tables, without=seen.tables)
    files[bundle.CASES] = _cases(made, rules, seen, tables, digests)
    files[bundle.SUMMARY] = bundle.in_order(summary)
    files[bundle.DIGESTS] = bundle.pretty(dict(digests))
    files |= packet_files(made.declared, rules, tables, digests) | ignored(made.declared)
    bundle.put(folder, files)
    return list(files)


def _write_given(made: Plan, folder: Path, seen: Seen) -> None:
    """What is there before any rule is applied: the rows that were given, spec, seal and package."""
    files = row_files(made.declared, seen.tables)
    files[bundle.SEAL] = to_bytes(_seal(made)) + b"\n"
    if _audits(made):
        files[AUDIT] = bundle.in_order(as_json(_audits(made)))
    if made.kind in (REHEARSAL, DEVELOPMENT):
        files[f"{made.kind.upper()}.md"] = f"This is a {made.kind}. Nothing in this folder may be claimed.\n".encode()
    bundle.put(folder, files)
    bundle.copy_spec(made.request.spec, folder / bundle.SPEC)
    bundle.copy_package(made.request.package, folder / bundle.PACKAGE)
    if (made.request.package / bundle.VERIFIER).is_file():
        shutil.copyfile(made.request.package / bundle.VERIFIER, folder / bundle.VERIFIER)


def _seal(made: Plan) -> Seal:
    """The seal that holds; a rehearsal without one has the digests that a seal would pin, and says what it is."""
    if made.seals and made.kind != REHEARSAL:
        return made.seals[-1]
    return make_seal(made.pins, made.seals[-1] if made.seals else None, reason=NO_SEAL)


def _cases(made: Plan, rules: ModuleType, seen: Seen, tables: Tables, digests: Mapping[str, str]) -> bytes:
    from protoc_runtime.reading import write_jsonl

    rows = unit_rows(rules, made.declared, tables, digests)
    return write_jsonl(case_lines(seen.results, rows))


def _end_of_ledger(ledger: Ledger, summary: Mapping[str, Any]) -> LedgerFacts:
    digest = digest_bytes(bundle.in_order(summary))
    ledger.append(FINISHED, {"verdict": summary["verdict"], "summary": digest})
    ledger.close()  # the bundle is sealed off with it
    return LedgerFacts(ledger.length, ledger.head, ledger.root)


def _told(reading: Reading) -> dict[str, str]:
    version = f"{reading.protocol} version {reading.version}" if reading.role else ""
    notes = ", ".join(part for part in (version, end_of(reading)) if part)
    return {"split": reading.split, "use": reading.use, "run": reading.run, "at": reading.at, "note": notes}
