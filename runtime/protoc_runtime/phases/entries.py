"""Runs of phases: what is known of each, and which of several counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from protoc_runtime.declared import Declared
from protoc_runtime.readings import Reading
from protoc_runtime.record import record, replace

IN_REGISTRY = "the registry; its bundle is not here"
OPEN = "the registry, which does not know its end"
IN_BOTH = "the registry, and its bundle has the receipt that the registry knows"


@record
class Entry:
    """One run of a phase. `verdict` is empty while it has none; `code` are the pinned files with their digests;
    `spec` is the digest of the protocol; `receipt` and `decided` are the digests of its receipt and, where people
    judged, of that of its final verdict; `done` are the duties that people have told of, each with the person.
    `differs` says how the bundle is another one than the registry knows, `illegal` why the machine did not allow the
    run; its verdict then leads nowhere."""

    phase: str
    run: str
    at: str
    ended: str = ""
    verdict: str = ""
    spec: str = ""
    code: tuple[tuple[str, str], ...] = ()
    receipt: str = ""
    decided: str = ""
    evidence: str = IN_REGISTRY
    differs: str = ""
    illegal: str = ""
    done: tuple[tuple[str, str], ...] = ()

    def told(self) -> str:
        """The run in words, for messages."""
        return f"run {self.run} ({self.at})"


def entries(
    declared: Declared,
    readings: Iterable[Reading],
    decided: Mapping[str, tuple[str, str]],
    duties: Mapping[tuple[str, str], tuple[tuple[str, str], ...]],
) -> tuple[Entry, ...]:
    """The runs that readings tell of; `decided` are final verdicts by run, each with the digest of its receipt;
    `duties` are by phase and run."""
    made: dict[str, Entry] = {}
    for reading in readings:
        own = (reading.protocol, reading.version) == (declared.id, declared.version)
        if not own or not reading.phase or reading.state not in ("open", "closed") or reading.run in made:
            continue
        verdict, last = decided.get(reading.run, (reading.verdict, ""))
        made[reading.run] = Entry(
            reading.phase, reading.run, reading.at, reading.ended, verdict, reading.spec, reading.code,
            reading.receipt, last, done=duties.get((reading.phase, reading.run), ()),
        )  # fmt: skip
    return tuple(sorted(made.values(), key=lambda entry: (entry.at, entry.run)))


def last_of(history: Sequence[Entry], phase: str) -> Entry | None:
    """The last run of a phase."""
    return next((entry for entry in reversed(history) if entry.phase == phase), None)


def counting(history: Sequence[Entry], phase: str) -> Entry | None:
    """The last run of a phase that the machine had allowed; where it had allowed none, the last one without its
    verdict, which does not count."""
    legal = last_of([entry for entry in history if not entry.illegal], phase)
    last = last_of(history, phase)
    return legal if legal is not None or last is None else replace(last, verdict="", ended="", done=())
