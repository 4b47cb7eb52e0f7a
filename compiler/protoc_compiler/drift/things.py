"""A protocol as a flat list of declared things, each with its place in the YAML and the fields that can differ.

What a later version of the language adds to `core.Protocol` is taken apart here without a rule of its own: a record
becomes a thing, a tuple of named records a thing for each.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from protoc_compiler import core
from protoc_compiler.drift.kept import Kept
from protoc_compiler.drift.model import Thing
from protoc_runtime.procedure import Hidden

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ITEMS = {
    "definitions": ("DEFINITION", ("definitions",)),
    "metrics": ("METRIC", ("metrics",)),
    "blockers": ("BLOCKER", ("blockers",)),
    "gates": ("GATE", ("gates",)),
    "checks": ("CHECK", ("checks",)),
    "verdicts": ("SUBVERDICT", ("verdicts",)),
    "verdict": ("VERDICT", ()),
    "statuses": ("STATUS", ("report", "statuses")),
    "lists": ("LIST", ("report", "lists")),
    "expect": ("EXPECTATION", ()),
}
SPACES = {subject: space for space, (subject, _) in ITEMS.items()}
STATEMENTS = {
    "step": ("STEP", ("procedure", "steps")),
    "duty": ("DUTY", ("report", "duties")),
    "attestation": ("ATTESTATION", ("attestations",)),
    "limit": ("LIMIT", ("limits",)),
    "never": ("NEVER", ("data", "splits", "never")),
}
SECTIONS = {
    "splits": ("SPLIT", ("data", "splits")),
    "freeze": ("FREEZE", ("procedure", "freeze")),
    "phases": ("PHASE", ("procedure", "phases")),
    "intervals": ("INTERVAL", ("intervals",)),
    "claims": ("CLAIM", ("report", "claims")),
    "amendments": ("AMENDMENT", ("report", "amendments")),
    "providers": ("PROVIDER", ("procedure", "providers")),
    "judgements": ("JUDGEMENT", ("procedure", "adjudication")),
    "outputs": ("OUTPUT", ("procedure", "outputs")),
    "subject": ("SUBJECT", ("procedure", "subject")),
    "target": ("TARGET", ("procedure", "target")),
    "sealed": ("SEALED", ("report", "sealed")),
    "manifest": ("MANIFEST", ("procedure", "manifest")),
    "parity": ("PARITY", ("procedure", "parity")),
    "hidden": ("HIDDEN", ("procedure", "visibility")),
}
_OWN = ("id", "version", "title", "released")
_PAIRS = {"head": ("HEAD", ("protocol",)), "question": ("QUESTION", ("question",))}
_LISTED = ("step", "duty", "limit", "never")  # known by what they say, not by a name
_UNCOMPARED = frozenset(("span", "text", "withheld_text", "name", "narrowed", "per", "root", "space"))


def things(protocol: core.Protocol) -> list[Thing]:
    """Everything that a protocol declares, in declared order. It is kept and shared: leave it as it is."""
    made: list[Thing] = _lists(protocol)
    return made


def _things(protocol: core.Protocol) -> list[Thing]:
    own = {name: getattr(protocol, name) for name in _OWN}
    made = [Thing("PROTOCOL", "", ("protocol",), "protocol", own)]
    metrics = {item.name for item in protocol.items if item.space == "metrics"}
    fields: tuple[str, ...] = core.Protocol.__record_fields__  # type: ignore[attr-defined]
    for name in fields:
        value = getattr(protocol, name)
        if name in _OWN or value is None or value == ():
            continue
        if name in _PAIRS:
            made += _pairs(name, value)
        elif name == "tables":
            for table in value:
                made += _table(table, metrics)
        elif name == "items":
            made += [_item(item) for item in value if not isinstance(item.expr, core.Bound)]
        elif name in ("statements", "never"):
            made += _statements(value)
        else:
            made += _section(name, value)
    return made


def _pairs(name: str, value: tuple[tuple[str, str], ...]) -> Iterator[Thing]:
    subject, path = _PAIRS[name]
    for key, text in value:
        yield Thing(subject, key, (*path, *key.split(".")), f"{path[0]}.{key}", {"text": text})


def _item(item: core.Item) -> Thing:
    subject, path = ITEMS.get(item.space, (item.space.upper(), (item.space,)))
    place = (*path, item.name) if item.space != "verdict" else ("verdict",)
    fields = _fields(item)
    fields["parts"] = (item.joined, tuple(part for _, part in item.parts))
    fields.pop("joined")
    if not item.better:
        fields.pop("better")  # the language got it later: fingerprints of older changes stay what they are
    return Thing(subject, item.name, place, ".".join(place), fields, text=item.text)


def _table(table: core.Table, metrics: set[str]) -> Iterator[Thing]:
    if table.name == "splits" and table.kind == "listed":
        return  # it says again what the splits say
    place = _place(table)
    shown = ".".join(place)
    fields = _fields(table, "columns", "listed", "labels", "expect")
    yield Thing("TABLE", table.name, place, shown, fields, text=table.text)
    for at, column in enumerate(table.columns):
        if column.origin == "key" and table.kind not in ("input", "listed"):
            continue  # it follows from what the table is made of
        yield _column(table, place, at, column, metrics)
    for label, row in zip(table.labels, table.listed, strict=False):
        cells = dict(zip((column.name for column in table.columns), row, strict=False))
        path = (*place, "rows", label)
        yield Thing("ROW", f"{table.name}.{label}", path, f"{shown}.rows.{label}", {"cells": cells}, table.name)
    for at, item in enumerate(table.expect):
        path = (*place, "expect", str(at))
        fields = {"expr": item.expr}
        yield Thing("EXPECTATION", item.name, path, f"{shown}.expect {at + 1}", fields, table.name, item.text)


def _place(table: core.Table) -> tuple[str, ...]:
    if table.kind == "nested":
        parent, _, column = table.name.rpartition(".")
        return ("data", "tables", parent, "columns", column)
    if table.kind in ("input", "listed"):
        return ("data", "records" if table.record else "tables", table.name)
    return ("definitions", table.name)


def _column(table: core.Table, place: tuple[str, ...], at: int, column: core.Col, metrics: set[str]) -> Thing:
    fields = _fields(column)
    if column.origin == "metric" and column.name in metrics:
        fields = {"origin": "metric"}  # it is the metric of this name, once per row
    if column.expr is not None and column.origin != "metric":
        path: tuple[str, ...] = ("definitions", f"{table.name}.{column.name}")
    elif table.record:
        path = (*place, column.name)
    elif table.kind in ("input", "listed"):
        path = (*place, "columns", column.name)
    else:
        path = (*place, column.name)
    fields["place"] = at if column.origin in ("input", "subject") else None
    return Thing("COLUMN", f"{table.name}.{column.name}", path, ".".join(path), fields, table.name, column.text)


def _statements(value: tuple[core.Statement, ...]) -> Iterator[Thing]:
    counts: dict[str, int] = {}
    for statement in value:
        subject, path = STATEMENTS.get(statement.kind, (statement.kind.upper(), (statement.kind,)))
        at = counts[subject] = counts.get(subject, 0) + 1
        listed = statement.kind in _LISTED
        key = str(at - 1) if listed else statement.name
        shown = f"{'.'.join(path)} {at}" if listed else f"{'.'.join(path)}.{key}"
        yield Thing(subject, statement.name, (*path, key), shown, _fields(statement, "kind"))


def _section(name: str, value: Any) -> Iterator[Thing]:
    subject, path = SECTIONS.get(name, (name.upper(), (name,)))
    if not isinstance(value, tuple):
        fields = _fields(value) if hasattr(type(value), "__record_fields__") else {"value": value}
        yield from _with_parts(Thing(subject, name, path, ".".join(path), fields))
        return
    for at, part in enumerate(value):
        key = _key(part)
        if not key:
            yield Thing(subject, str(at), (*path, str(at)), f"{'.'.join(path)} {at + 1}", {"value": part})
            continue
        yield from _with_parts(Thing(subject, key, (*path, key), f"{'.'.join(path)}.{key}", _fields(part)))


def _key(part: Any) -> str:
    """What a record is known by; "" for what is known by its place."""
    if not hasattr(type(part), "__record_fields__") or isinstance(part, (core.Expr, core.Rows)):
        return ""
    if isinstance(part, Hidden):
        return f"{part.table}.{part.column}" if part.column else part.table
    found = getattr(part, "name", None) or getattr(part, "path", None)
    return found if isinstance(found, str) else ""


def _with_parts(thing: Thing) -> Iterator[Thing]:
    """A thing, and the named records that one of its fields lists as things of their own: `MANIFEST_FIELD`."""
    listed = {name: value for name, value in thing.fields.items() if isinstance(value, tuple) and value}
    inside = {name: value for name, value in listed.items() if all(_key(part) for part in value)}
    for name in inside:
        thing.fields[name] = ()
    yield thing
    for name, value in inside.items():
        for part in value:
            key = _key(part)
            place = (*thing.path, name.replace("_", " "), key)
            subject = f"{thing.subject}_{_singular(name).upper()}"
            fields = _fields(part)
            fields.pop("path", None)
            yield Thing(subject, f"{thing.name}.{key}", place, ".".join(place), fields, thing.name)


def _fields(value: Any, *without: str) -> dict[str, Any]:
    kind: Any = type(value)
    return {name: getattr(value, name) for name in _compared(kind, without)}


@cache
def _compared(kind: Any, without: tuple[str, ...]) -> tuple[str, ...]:
    names: tuple[str, ...] = kind.__record_fields__
    return tuple(name for name in names if name not in _UNCOMPARED and name not in without)


def _singular(name: str) -> str:
    """`duties` is `duty`, `fields` is `field`."""
    return f"{name[:-3]}y" if name.endswith("ies") else name.removesuffix("s")


_lists = Kept(_things, most=8)  # renames, differences and places ask for the same
