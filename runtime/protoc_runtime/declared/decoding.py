"""From the canonical form of a protocol, in which every value is text, a bool, null or a list, to its records."""

from __future__ import annotations

from datetime import date, datetime
from fractions import Fraction
from typing import Any, TypeVar

from protoc_runtime import procedure
from protoc_runtime.agents.records import session
from protoc_runtime.declared.records import (
    Amendment,
    Cell,
    Claim,
    Column,
    Declared,
    Freeze,
    Item,
    Measured,
    Phase,
    Split,
    Statement,
    Subject,
    Table,
    Type,
    Unpivot,
)
from protoc_runtime.evidence import Evidence, rests
from protoc_runtime.manifests import records as manifest_records
from protoc_runtime.parity import records as parity_records
from protoc_runtime.phases.records import PhaseDuty, Preserved
from protoc_runtime.rule_metrics import metrics_of

T = TypeVar("T")


class Decoder:
    """Builds the records above from the generic form in which every value is text, a bool, null or a list."""

    def __init__(self, protocol: dict[str, Any]) -> None:
        self._protocol = protocol
        self._keys = {table["name"]: table for table in protocol["tables"]}
        self._evidence = Evidence(protocol)

    def protocol(self, digest: str) -> Declared:
        """The whole protocol; `digest` is that of its meaning. Raises KeyError for a form without what is read."""
        given = self._protocol
        return Declared(
            id=given["id"],
            version=int(given["version"]),
            title=given["title"],
            digest=digest,
            head=_pairs(given["head"]),
            question=_pairs(given["question"]),
            tables=tuple(self._table(table) for table in given["tables"]),
            splits=tuple(_split(split) for split in given["splits"]),
            subject=_subject(given["subject"]),
            freeze=tuple(self._freeze(freeze) for freeze in given["freeze"]),
            phases=tuple(_phase(phase) for phase in given["phases"]),
            items=self._items(),
            released=tuple(given["released"]),
            statements=tuple(_plain(Statement, statement) for statement in given["statements"]),
            claims=tuple(_plain(Claim, claim) for claim in given["claims"]),
            amendments=tuple(_plain(Amendment, amendment) for amendment in given["amendments"]),
            target=procedure.target(given.get("target")),
            providers=tuple(procedure.provider(provider) for provider in given.get("providers", ())),
            judgements=tuple(procedure.judgement(judgement) for judgement in given.get("judgements", ())),
            outputs=tuple(procedure.output(output) for output in given.get("outputs", ())),
            sealed=procedure.sealed(given.get("sealed")),
            hidden=tuple(procedure.hidden(entry) for entry in given.get("hidden", ())),
            manifest=manifest_records.manifest(given.get("manifest")),
            parity=parity_records.parity(given.get("parity")),
        )

    def _items(self) -> tuple[Item, ...]:
        known = rests(self._protocol)
        made = []
        for item in self._protocol["items"]:
            rest = known[item["space"], item["name"]]
            about = {
                "withheld": item["withheld"] is not None,
                "grade": rest.grade if item["space"] == "blockers" else "",
                "sources": rest.sources,
                "judgements": rest.judgements,
                "columns": rest.columns if item["space"] == "definitions" else (),
                "metrics": metrics_of(item["expr"]) if item["space"] in ("blockers", "gates", "checks") else (),
            }
            made.append(_plain(Item, item, type=_type(item["type"]), **about))
        return tuple(made)

    def _table(self, given: dict[str, Any]) -> Table:
        columns = tuple(self._column(given["name"], column) for column in given["columns"])
        unpivot = given["unpivot"]
        return _plain(
            Table,
            given,
            columns=columns,
            listed=tuple(
                tuple(self._cell(value, column.type) for value, column in zip(row, columns, strict=False))
                for row in given["listed"]
            ),
            unpivot=unpivot and Unpivot(unpivot["label"], _pairs(unpivot["labels"]), _pairs(unpivot["columns"])),
            expect=tuple(item["says"] or item["name"] for item in given["expect"]),
            due=tuple(self._evidence.due(item["expr"]) for item in given["expect"]),
        )

    def _column(self, table: str, given: dict[str, Any]) -> Column:
        derived = given["expr"] is not None
        waits = derived and self._evidence.by_people(("column", table, given["name"]))
        return _plain(Column, given, type=_type(given["type"]), derived=derived, waits=waits)

    def _freeze(self, given: dict[str, Any]) -> Freeze:
        kind = _type(given["type"])
        measured = given.get("measured")
        source = measured and _plain(Measured, measured)
        copy = manifest_records.copy_of(given.get("copy"))
        return _plain(Freeze, given, type=kind, value=self._cell(given["value"], kind), measured=source, copy=copy)

    def _cell(self, value: Any, kind: Type) -> Cell:
        if value is None or isinstance(value, bool):
            return value
        if kind.kind in ("set", "list") and kind.item is not None:
            return tuple(self._cell(item, kind.item) for item in value)
        if kind.kind == "row":
            table = self._keys[kind.table]
            key = next(column for column in table["columns"] if column["name"] == table["key"][0])
            return self._cell(value, _type(key["type"]))
        return _scalar(value, kind.kind)


def _split(given: dict[str, Any]) -> Split:
    numbers = {name: int(given.get(name, 0)) for name in ("cases", "at_most")}
    return _plain(Split, given, disjoint_from=tuple(given.get("disjoint_from", ())), **numbers)


def _scalar(value: str, kind: str) -> Cell:
    if kind == "int":
        return int(value)
    if kind in ("number", "quantity", "real"):
        return Fraction(value)
    if kind == "date":
        return date.fromisoformat(value)
    if kind == "time":
        return datetime.fromisoformat(value)
    return value


def _type(given: dict[str, Any]) -> Type:
    item = given["item"]
    fields = tuple((name, _type(kind)) for name, kind in given["fields"])
    return _plain(Type, {"shown": "", **given}, item=item and _type(item), fields=fields)


def _phase(given: dict[str, Any]) -> Phase:
    return _plain(
        Phase,
        given,
        then=tuple((verdict, tuple(to)) for verdict, to in given.get("then", ())),
        records=tuple(_plain(Preserved, item) for item in given.get("records", ())),
        duties=tuple(_plain(PhaseDuty, item) for item in given.get("duties", ())),
    )


def _subject(given: dict[str, Any] | None) -> Subject | None:
    if given is None:
        return None
    timeout = given["timeout"]
    return _plain(
        Subject,
        given,
        timeout=None if timeout is None else Fraction(timeout),
        concurrency=int(given["concurrency"]),
        cites=tuple((key, tuple(ids)) for key, ids in given["cites"]),
        session=session(given.get("session")),
    )


def _plain(cls: type[T], given: dict[str, Any], **made: Any) -> T:
    """A record whose other fields are texts, bools or lists of texts; absent ones have their defaults."""
    for name in cls.__record_fields__:  # type: ignore[attr-defined]
        if name not in made and (name in given or not hasattr(cls, name)):
            value = given[name]
            made[name] = tuple(value) if isinstance(value, list) else value
    return cls(**made)


def _pairs(given: list[list[str]]) -> tuple[tuple[str, str], ...]:
    return tuple((first, second) for first, second in given)
