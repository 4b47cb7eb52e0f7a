"""Statements of a protocol that a named person confirms: `protoc run --attest NAME=PERSON`, or a file beside the spec.

A confirmation is an event of the run's ledger, so it has its time and its place among the others. It proves that
somebody said so, and the receipt grades it that way.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path

from protoc_runtime.canonical import read_plain
from protoc_runtime.catalogue import adjudication as kinds
from protoc_runtime.chain import Line
from protoc_runtime.declared import Declared
from protoc_runtime.diagnostics import Findings, Refused
from protoc_runtime.ledger import Ledger
from protoc_runtime.strict_json import parsed

FILE, ATTESTED = "attestations.jsonl", "attested"


def wanted(declared: Declared, folder: Path, given: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Who confirms what: `given` pairs of name and person, and the lines `{"name", "person"}` of the file beside the
    spec. Raises `Refused` (E1815) for a name that the protocol does not have."""
    known = [statement.name for statement in declared.statements if statement.kind == "attestation"]
    found = {**dict(_of_file(folder / FILE)), **dict(given)}
    findings = Findings()
    for name in found:
        if name not in known:
            near = get_close_matches(name, known, 1, 0.5)
            words = f"it asks for {', '.join(known)}" if known else "it has no attestations"
            findings.add(
                kinds.UNKNOWN_ATTESTATION, None, name=name, known=f"did you mean {near[0]}?" if near else words
            )
    if findings.failed:
        raise Refused(findings)
    return found


def name_and_person(given: str) -> tuple[str, str] | None:
    """The two parts of `NAME=PERSON`, or None where one is missing."""
    name, sign, person = (part.strip() for part in given.partition("="))
    return (name, person) if name and sign and person else None


def record_attestations(ledger: Ledger, attested: Mapping[str, str]) -> None:
    """Write confirmations into a ledger, each once."""
    there = {(event.body["name"], event.body["person"]) for event in ledger.events() if event.kind == ATTESTED}
    for name, person in attested.items():
        if (name, person) not in there:
            ledger.append(ATTESTED, {"name": name, "person": person})


def attested(events: Iterable[Line]) -> dict[str, dict[str, str]]:
    """Who confirmed what, and when, as a ledger tells it."""
    return {
        str(event.body["name"]): {"person": str(event.body["person"]), "at": str(event.body["at"])}
        for event in events
        if event.kind == ATTESTED
    }


def _of_file(path: Path) -> Iterable[tuple[str, str]]:
    if not path.is_file():
        return
    for line in read_plain(path).splitlines():
        try:
            row = parsed(line)
            yield str(row["name"]), str(row["person"])
        except (ValueError, KeyError, TypeError) as fault:
            shown = line.decode("utf-8", "replace")[:60]
            known = f"a line of {path.name} is no object with `name` and `person` ({type(fault).__name__})"
            raise Refused([Findings().add(kinds.UNKNOWN_ATTESTATION, None, name=shown, known=known)]) from None
