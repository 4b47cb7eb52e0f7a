"""Every fault of a freeze manifest at once, each with the path of its field and the reason.

The generated module of a protocol says what the fields are; this walks a document with it. A fault of what is inside a
group is told by the model of that group, and what lacks for the phase by the list of what it needs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal

from protoc_runtime.manifests.meaning import flaws, told
from protoc_runtime.record import record

if TYPE_CHECKING:
    from protoc_runtime.manifests.types import Group

FaultKind = Literal["document", "status", "missing", "value", "extra"]
PROVENANCE = "provenance"  # which fields were collected, and which a person vouches for
_NO_GROUP = ("model_type", "model_attributes_type", "dict_type")


@record
class Fault:
    """What is wrong with one field. `cites` are the rules of the source document that ask for it."""

    path: str
    reason: str
    kind: FaultKind
    cites: tuple[str, ...] = ()


@record
class Contract:
    """What a generated module declares. `phases`: phase and its status, in order; `needed`: phase and the fields that
    it is the first to need; `cites` by field."""

    model: type[Group]
    status: str
    phases: Mapping[str, str]
    needed: Mapping[str, tuple[str, ...]]
    cites: Mapping[str, tuple[str, ...]]


def faults(contract: Contract, document: object, phase: str) -> tuple[Fault, ...]:
    """Every fault of the document in this phase, in the order of the fields. KeyError for a phase of no such name."""
    wanted = contract.phases[phase]
    if not isinstance(document, Mapping):
        return (Fault("", f"a manifest is one object, found {told(document)}", "document"),)
    marred = [Fault(path, reason, "document") for path, reason in flaws(document)]
    if any(fault.reason == "it is nested too deeply" for fault in marred):
        return tuple(marred)
    found = [*marred, *_status(contract, document, wanted, phase)]
    found += _values(contract, document)
    found += _missing(contract, document, phase)
    known: dict[str, Fault] = {}
    for fault in found:  # the first that is told of a field is the plainest
        known.setdefault(fault.path, fault)
    return tuple(_cited(contract, fault) for fault in known.values())


def extras(contract: Contract, document: object) -> tuple[str, ...]:
    """The paths that the protocol does not declare, but for those of closed groups, which are faults."""
    known = {contract.status, *(_plain(path) for path in contract.cites)}
    known |= {path[:at] for path in known for at, char in enumerate(path) if char == "."}
    whole = {path for path in known if not any(other.startswith(f"{path}.") for other in known)}
    return tuple(_extras(document, "", known, whole))


def _extras(value: object, path: str, known: set[str], whole: set[str]) -> Iterator[str]:
    if isinstance(value, list):
        for place, item in enumerate(value):
            yield from _extras(item, f"{path}[{place}]", known, whole)
    if not isinstance(value, Mapping) or _plain(path) in whole:
        return
    for key, item in value.items():
        inner = f"{path}.{key}" if path else key
        if _plain(inner) in known:
            yield from _extras(item, inner, known, whole)
        elif inner != PROVENANCE:
            yield inner


def _plain(path: str) -> str:
    return re.sub(r"\[\d*\]", "", path)


def _cited(contract: Contract, fault: Fault) -> Fault:
    cites = contract.cites.get(re.sub(r"\[\d+\]", "[]", fault.path), ())
    return Fault(fault.path, fault.reason, fault.kind, cites)


def _status(contract: Contract, document: Mapping[str, Any], wanted: str, phase: str) -> Iterator[Fault]:
    found = _at(document, contract.status)
    if found is None:
        yield Fault(contract.status, f"phase {phase} needs the status `{wanted}`, found none", "status")
    elif not isinstance(found, str) or found != wanted:
        yield Fault(contract.status, f"phase {phase} needs the status `{wanted}`, found {told(found)}", "status")


def _at(value: Any, path: str) -> Any:
    for part in path.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def _values(contract: Contract, document: Mapping[str, Any]) -> Iterator[Fault]:
    from pydantic import ValidationError

    try:
        contract.model.model_validate(_whole(document))
    except ValidationError as error:
        for each in error.errors(include_url=False, include_context=False):
            path = _path(each["loc"])
            if each["type"] in _NO_GROUP:
                yield Fault(path, f"an object is needed, found {told(each['input'])}", "value")
            elif each["type"] == "list_type":
                yield Fault(path, f"a list is needed, found {told(each['input'])}", "value")
            elif each["type"] == "extra_forbidden":
                yield Fault(path, "nothing of this name may stand in this group", "extra")
            else:
                yield Fault(path, each["msg"].removeprefix("Value error, "), "value")


def _whole(value: Any) -> Any:
    """The value with U+FFFD for each half of a surrogate pair, told by `flaws`: pydantic fails on one."""
    if isinstance(value, Mapping):
        return {_whole(key): _whole(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_whole(item) for item in value]
    return re.sub("[\ud800-\udfff]", "\ufffd", value) if isinstance(value, str) else value


def _path(location: tuple[int | str, ...]) -> str:
    made = ""
    for part in location:
        made += f"[{part}]" if isinstance(part, int) else f".{part}" if made else part
    return made


def _missing(contract: Contract, document: Mapping[str, Any], phase: str) -> Iterator[Fault]:
    for name, paths in contract.needed.items():
        for path in paths:
            yield from _lacking(document, path.split("."), "", f"phase {phase} needs it")
        if name == phase:
            return


def _lacking(value: object, parts: list[str], path: str, why: str) -> Iterator[Fault]:
    """Where a path ends early. What is there but no object is told by the model."""
    if not isinstance(value, Mapping):
        return
    name = parts[0].removesuffix("[]")
    inner = f"{path}.{name}" if path else name
    below = value.get(name)
    if below is None:
        how = "it is null" if name in value else "it is not there"
        yield Fault(inner, f"{how}, and {why}", "missing")
    elif parts[0].endswith("[]"):
        yield from _lacking_in_list(below, parts[1:], inner, why)
    elif len(parts) > 1:
        yield from _lacking(below, parts[1:], inner, why)


def _lacking_in_list(value: object, parts: list[str], path: str, why: str) -> Iterator[Fault]:
    if not isinstance(value, list):
        return
    if not value:
        yield Fault(path, f"the list is empty, and {why}", "missing")
    for place, item in enumerate(value):
        here = f"{path}[{place}]"
        if item is None:
            yield Fault(here, f"it is null, and {why}", "missing")
        elif parts:
            yield from _lacking(item, parts, here, why)
