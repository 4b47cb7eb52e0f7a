"""The evaluation: seal, registry, subject, rules, verdict, bundle, in this order and no other.

The order is what makes a verdict worth something. The subject is loaded before a split is spent; the registry holds
the reading before its first row is read; each case is in the ledger before it is given away; the verdict is computed
from the rows that the bundle holds.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from protoc_runtime import bundle
from protoc_runtime.attesting import record_attestations
from protoc_runtime.attesting import wanted as wanted_attestations
from protoc_runtime.catalogue import providers as provider_kinds
from protoc_runtime.catalogue import run as kinds
from protoc_runtime.closing import Closed, Seen, close, register_again
from protoc_runtime.diagnostics import Diagnostic, Findings, Refused, Related, Span
from protoc_runtime.execution import Interrupted, Progress, Result, finished_cases, run_cases
from protoc_runtime.expecting import INPUTS, require, unmet
from protoc_runtime.frozen_set import FROZEN, frozen_set
from protoc_runtime.gathering import Tables, read_inputs, with_rows
from protoc_runtime.ledger import Ledger
from protoc_runtime.manifests.keeping import keep
from protoc_runtime.packages import load_rules
from protoc_runtime.phases import parity
from protoc_runtime.phases.entering import still_legal
from protoc_runtime.phases.machine import is_machine
from protoc_runtime.phases.receipt import ENTERED, event_of
from protoc_runtime.plan import REHEARSAL, RUN, Plan, Request
from protoc_runtime.planning import plan, same_configuration, spent, wanted
from protoc_runtime.record import replace
from protoc_runtime.registry import Reading, reserve
from protoc_runtime.rehearsal_counts import expected_rows
from protoc_runtime.rehearsing import synthetic
from protoc_runtime.securing import loaded, redact_logs
from protoc_runtime.subjects.calling import Called, Cases, Recorded, answers_of, cases_of
from protoc_runtime.surroundings import OPENED, Surroundings, no_rows, note, open_subject, surroundings
from protoc_runtime.unchanged import require_pinned, require_untouched

if TYPE_CHECKING:
    from protoc_runtime.providers.gateway import Gateway

_LOST = ("E1301", "E1302", "E1304", "E1305")  # another reading, or another role, stands in the way for good
STARTED, RESUMED, READ, ANSWERED = "run_started", "run_resumed", "inputs_read", "cases_answered"


def run(request: Request) -> Closed:
    """Run what was asked for, to its bundle. Raises `Refused` with what stands in the way."""
    made = plan(request)
    attestations = wanted_attestations(made.declared, request.spec.parent, request.attest)
    rules = load_rules(request.package)
    if request.resume is not None and (closed := bundle.final_name(request.resume)).is_dir():
        return register_again(made, closed)
    folder = _resumed(made) if request.resume else bundle.open_folder(made.parent, _mark(made))
    try:
        with Ledger.open(folder / bundle.LEDGER) as ledger:
            ledger.not_before(made.seals[-1].time if made.seals else "")
            try:
                seen = _Run(made, rules, folder, ledger).answers(attestations)
            except Refused as refused:
                note(folder, ledger, *refused.diagnostics)
                _end_launch(ledger, refused)
                raise
            finally:
                redact_logs(folder, loaded(made.declared))
            return close(made, rules, folder, seen, ledger)
    except Refused as refused:
        raise Refused([_kept(made, folder, item) for item in refused.diagnostics]) from refused
    except OSError as error:
        told = bundle.cannot_write(bundle.unwritten(error, folder), error)
        raise Refused([_kept(made, folder, item) for item in told.diagnostics]) from error


class _Run:
    """One run from its first event to its last answer."""

    def __init__(self, made: Plan, rules: Any, folder: Path, ledger: Ledger) -> None:
        self._plan, self._rules, self._folder, self._ledger = made, rules, folder, ledger
        self._declared = made.declared
        self._batch: int | None = None
        self._resumes = False  # an earlier launch has begun it
        self.name = made.request.workspace.shown(folder).removesuffix(bundle.UNFINISHED)

    def answers(self, attestations: Mapping[str, str]) -> Seen:
        """Begin or resume, read, ask for every case; everything that closing needs."""
        started = self._begin()
        record_attestations(self._ledger, attestations)
        with surroundings(self._plan, self._folder, self._ledger) as around:
            warnings = () if around.checkout is None else tuple(around.checkout.warnings)
            stopped = self._stopped(around.gateway)
            seen = self._unasked(started, stopped) if stopped else self._answered(started, around)
        return replace(seen, warnings=(*self._plan.differences, *_unwitnessed(self._plan), *warnings, *seen.warnings))

    def _unasked(self, started: str, stopped: str) -> Seen:
        """A run that ends before a row is read: no split is spent, and the protocol's blocker decides."""
        finished = self._ledger.append(ANSWERED, {"cases": 0, "stopped": stopped}).at
        note(self._folder, self._ledger, stopped)
        return Seen(self.name, started, finished, no_rows(self._declared), (), {}, (), (), stopped)

    def _answered(self, started: str, around: Surroundings) -> Seen:
        self._freeze()
        called = open_subject(self._plan, self._folder, around)
        if called is not None:
            self._ledger.append(OPENED, called.walls.told())
        try:
            readings, warnings = self._register()
            self._ledger.not_before(max((reading.at for reading in readings), default=""))
            tables, more = self._inputs()
            cases = cases_of(self._declared, tables)
            results, tables = self._ask(called, cases, tables)
            require_pinned(self._plan.pins.code, self._plan.folder)
        finally:
            if called is not None:
                called.close()
        about = {} if self._batch is None else {"batch_us": self._batch}
        finished = self._ledger.append(ANSWERED, {"cases": len(results), **about}).at
        return Seen(
            name=self.name,
            started=started,
            finished=finished,
            tables=tables,
            results=tuple(results.values()),
            keys=cases.keys,
            readings=readings,
            warnings=(*warnings, *more),
            batch=self._batch,
        )

    def _freeze(self) -> None:
        """What git knows of the frozen set, before anything is asked; of a run that goes on, what it knew then."""
        asked = any(table.source == "git" for table in self._declared.tables)
        if asked and not any(event.kind == FROZEN for event in self._ledger.events()):
            self._ledger.append(FROZEN, frozen_set(self._plan))

    def _begin(self) -> str:
        first = next(self._ledger.events(), None)
        if first is None:
            body: dict[str, Any] = {"run": self.name, "use": self._plan.use, "splits": list(self._plan.splits)}
            body |= keep(self._declared, self._plan.folder, self._folder)
            if self._plan.kind != REHEARSAL and is_machine(self._declared):
                parity.keep(self._plan, self._folder)
            body |= {"signatures": [piece.digest for piece in self._plan.evidence]} if self._plan.evidence else {}
            begun = self._ledger.append(STARTED, {**body, "configuration": self._plan.configuration()}).at
            if self._plan.kind != REHEARSAL and is_machine(self._declared):
                self._ledger.append(ENTERED, event_of(self._plan))
            return begun
        self._resumes = True
        same_configuration(self._plan, first.body.get("configuration", {}), self._folder)
        self._ledger.append(RESUMED, {"finished": len(finished_cases(self._ledger.events()))})
        return str(first.body["at"])

    def _stopped(self, gateway: Gateway | None) -> str:
        """Why no case is asked, or "".

        A provider that cannot be called stops the run before any row is read: with a verdict, if the protocol declares
        a record of whether it can, else without one (E1601). A rehearsal goes on; its calls are refused one by one.
        """
        unusable = {} if gateway is None else gateway.unusable
        findings = Findings()
        for name, reason in unusable.items():
            if not any(table.source == f"provider {name}" for table in self._declared.tables):
                findings.add(provider_kinds.UNUSABLE, None, provider=name, reason=reason)
        if self._plan.kind == REHEARSAL:
            return ""
        if findings:
            raise Refused(findings)
        return "; ".join(f"{name} cannot be called: {reason}" for name, reason in unusable.items())

    def _register(self) -> tuple[tuple[Reading, ...], list[Diagnostic]]:
        """The readings, in the registry before any row is read."""
        if self._plan.kind == REHEARSAL or not self._plan.splits:
            return (), []
        request = self._plan.request
        asked, consumed = wanted(self._plan), spent(self._plan)
        registry, use, check = request.workspace.registry, self._plan.use, still_legal(self._plan)
        return reserve(registry, asked, use, self.name, consumed, check)

    def _inputs(self) -> tuple[Tables, list[Diagnostic]]:
        made = self._plan
        if made.kind == REHEARSAL:
            return self._made_up()
        tables, warnings = read_inputs(self._declared, made.folder, made.splits)
        require_untouched(made.marks)
        heights = {name: data.height for name, data in tables.items()}
        self._ledger.append(READ, {"rows": heights, "synthetic": False})
        self._expectations(tables)
        return tables, warnings

    def _made_up(self) -> tuple[Tables, list[Diagnostic]]:
        """The rows of a rehearsal, with a note of each expectation that they do not meet."""
        made = self._plan
        tables = synthetic(self._declared, made.splits, expected_rows(made.request.package / "protocol.json"))
        heights = {name: data.height for name, data in tables.items()}
        self._ledger.append(READ, {"rows": heights, "synthetic": True})
        notes = Findings()
        for table, words in [] if made.narrowed else unmet(self._declared, self._rules, tables, (INPUTS,)):
            notes.add(kinds.MADE_UP, None, table=table, expectation=words)
        return tables, notes.sorted()

    def _expectations(self, tables: Tables) -> None:
        """What the protocol expects of its inputs; with fewer splits than there are, the seal has checked it."""
        if not self._plan.narrowed:
            require(self._declared, self._rules, tables, INPUTS)

    def _ask(self, called: Called | None, cases: Cases, tables: Tables) -> tuple[dict[str, Result], Tables]:
        subject = self._declared.subject
        if subject is None:
            return {}, tables
        if not cases.cases:
            splits = ", ".join(self._plan.splits) or "any kind"
            raise Refused([Findings().add(kinds.NO_CASES, None, table=subject.unit, splits=splits)])
        if called is None:
            return self._loop(Recorded.of(self._declared, tables, cases), cases, subject.concurrency), tables
        called.prepare(answers_of(self._declared, tables), cases)
        results = self._loop(called, cases, subject.concurrency)
        return results, with_rows(self._declared, tables, called.rows(results))

    def _loop(self, subject: Any, cases: Cases, concurrency: int) -> dict[str, Result]:
        done = finished_cases(self._ledger.events())
        bar = Progress(len(cases.cases), len(done), self._plan.request.screen)
        begun = time.monotonic()
        try:
            return run_cases(cases.cases, subject, self._ledger, concurrency=concurrency, done=done, progress=bar)
        except Interrupted as stop:
            ended, every = len(done) + stop.done, len(cases.cases)
            shown = self._plan.request.workspace.shown(self._folder)
            raise Refused([Findings().add(kinds.INTERRUPTED, None, path=shown, done=ended, cases=every)]) from None
        finally:
            bar.close()
            if not self._resumes:
                self._batch = round((time.monotonic() - begun) * 1_000_000)


def _unwitnessed(made: Plan) -> list[Diagnostic]:
    """That git does not show when the protocol of a run that counts was sealed."""
    if made.kind != RUN or (made.seals[-1].commit and made.seals[-1].clean):
        return []
    return [Findings().add(kinds.SEALED_OUTSIDE_GIT, None)]


def _of_registry(fault: Diagnostic) -> bool:
    """Whether the registry refused a reading: nothing that this launch could do later would change that."""
    return fault.id in _LOST


def _end_launch(ledger: Ledger, refused: Refused) -> None:
    """Close the ledger of a launch that the registry refused before anything was read."""
    told = [fault.message for fault in refused.diagnostics if _of_registry(fault)]
    if told and not any(event.kind == READ for event in ledger.events()):
        ledger.append(bundle.REFUSED, {"reason": told[0]})


def _resumed(made: Plan) -> Path:
    """The folder of the run to go on with (E1205 if there is none)."""
    given = made.request.resume
    assert given is not None
    folder = bundle.unfinished_name(given)
    reason = bundle.refused_launch(folder)
    if reason:
        told = f"the registry refused that launch before it read anything ({reason})"
        raise Refused([Findings().add(kinds.UNFINISHED_NOT_FOUND, None, path=given, reason=told)])
    if (folder / bundle.LEDGER).is_file():
        return folder
    raise Refused([Findings().add(kinds.UNFINISHED_NOT_FOUND, None, path=given, reason="it has no ledger")])


def _kept(made: Plan, folder: Path, fault: Diagnostic) -> Diagnostic:
    """The fault that ended a launch, with the place where its ledger and logs are kept."""
    if fault.kind is kinds.INTERRUPTED:
        return fault  # it names the folder itself
    path = f"{made.request.workspace.shown(folder)}/{bundle.LEDGER}"
    words = "what this launch did until then is kept here, to look at"
    if _of_registry(fault):
        words += "; it has read nothing, and cannot be resumed"
    elif fault.kind is not kinds.EXPECTATION:  # the rows stay what they are: to go on would end here again
        words += " or to --resume"
    where = Related(Span(path, 1, 1, 1, 2), words)
    return replace(fault, related=(*fault.related, where))


def _mark(made: Plan) -> str:
    """What the folder's name shows of the seal; of a rehearsal without one, of the spec."""
    return made.seals[-1].digest if made.seals else made.declared.digest.removeprefix("sha256:")
