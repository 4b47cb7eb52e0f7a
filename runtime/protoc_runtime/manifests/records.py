"""What a protocol declares about freeze manifests and canonical blocks.

The compiler makes these records and the runtime reads them back from `protocol.json`, so they are defined once. A
`constant` or `block` is the canonical text of a JSON value (`manifests.meaning`), so that equal values are equal text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from protoc_runtime.record import record

COLLECTED = ("source revision", "python", "hardware", "now")  # and `dependency lock FILE`, `digest of FILE`
COLLECTED_OF = ("dependency lock ", "digest of ")
DIGESTS = ("sha256", "digest")


@record
class Copy:
    """A block of a JSON or YAML file that the protocol copies. `ties`: (entry of the block, rule that it bounds)."""

    file: str
    pointer: str
    block: str
    ties: tuple[tuple[str, str], ...] = ()

    @property
    def shown(self) -> str:
        """The place as a spec writes it."""
        return f"{self.file}#{self.pointer}"


@record
class Value:
    """What may stand in a field. `kind`: text, int, positive int, decimal, bool, time, sha256, digest, revision,
    version, object, any, enum (of `members`), list and map (of `item`), copy and metrics (of the frozen `block`), is
    (the `constant`)."""

    kind: str
    members: tuple[str, ...] = ()
    item: Value | None = None
    block: str = ""
    constant: str = ""


@record
class Field:
    """A field by its path: `candidate.models[].revision`. One of `values` must fit; `needed` is the first phase that
    needs it ("" for none), `alias` its column in the record, `collect` what fills it in a new manifest."""

    path: str
    values: tuple[Value, ...]
    needed: str
    alias: str = ""
    collect: str = ""
    says: str = ""
    cites: tuple[str, ...] = ()


@record
class ManifestPhase:
    """A phase of the manifest and the status that it has then."""

    name: str
    status: str
    says: str = ""
    cites: tuple[str, ...] = ()


@record
class Manifest:
    """The freeze manifest of a protocol. `closed` are the groups that hold nothing but what is declared."""

    file: str
    status: str
    phases: tuple[ManifestPhase, ...]
    closed: tuple[str, ...]
    fields: tuple[Field, ...]
    says: str = ""
    cites: tuple[str, ...] = ()

    def member(self, status: object) -> str | None:
        """The member of the record's enum that stands for a status of the file; None for one of no phase."""
        return next((member(phase.status) for phase in self.phases if phase.status == status), None)


_COLUMNS = {
    "text": "text?", "int": "int?", "positive int": "int?", "decimal": "decimal?", "bool": "bool?", "time": "time?",
    "sha256": "digest?", "digest": "digest?", "revision": "text?", "version": "text?",
}  # fmt: skip


def column(field: Field) -> str:
    """The type of a field's column in the record `from: manifest`, as a spec writes it; "" where it can be none."""
    kinds = {_COLUMNS.get(value.kind, "") for value in field.values}
    if len(field.values) == 1 and field.values[0].kind == "enum":
        return f"[{', '.join(member(word) for word in field.values[0].members)}, null]"
    return kinds.pop() if len(kinds) == 1 else ""


def columns(declared: Manifest) -> dict[str, str]:
    """Every column of the record `from: manifest`, with its type."""
    statuses = ", ".join(member(phase.status) for phase in declared.phases)
    known = {"status": f"[{statuses}, null]", "targets_equal": "bool", "complete": "bool", "digests_valid": "bool"}
    known |= {"valid": "bool", "sha256": "digest?"}
    return known | {field.alias: column(field) for field in declared.fields if field.alias}


def member(status: str) -> str:
    """A status as a member of an enum, in which a minus would be a formula."""
    return status.replace("-", "_")


def copy_of(given: Mapping[str, Any] | None) -> Copy | None:
    """The copy in a frozen value of `protocol.json`."""
    if given is None:
        return None
    return Copy(given["file"], given["pointer"], given["block"], tuple((a, b) for a, b in given["ties"]))


def manifest(given: Mapping[str, Any] | None) -> Manifest | None:
    """The manifest of `protocol.json`."""
    if given is None:
        return None
    phases = tuple(ManifestPhase(p["name"], p["status"], p["says"], tuple(p["cites"])) for p in given["phases"])
    fields = tuple(_field(field) for field in given["fields"])
    about = (given["says"], tuple(given["cites"]))
    return Manifest(given["file"], given["status"], phases, tuple(given["closed"]), fields, *about)


def _field(given: Mapping[str, Any]) -> Field:
    values = tuple(value for each in given["values"] if (value := _value(each)) is not None)
    about = (given["needed"], given["alias"], given["collect"], given["says"], tuple(given["cites"]))
    return Field(given["path"], values, *about)


def _value(given: Mapping[str, Any] | None) -> Value | None:
    if given is None:
        return None
    item = _value(given["item"])
    return Value(given["kind"], tuple(given["members"]), item, given["block"], given["constant"])
