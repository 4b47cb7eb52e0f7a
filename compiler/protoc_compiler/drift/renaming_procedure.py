"""A protocol in which a phase, a judgement, a provider or a part of the manifest has another name, everywhere it is
named."""

from __future__ import annotations

from typing import Any

from protoc_compiler import core
from protoc_compiler.drift.renaming import Changes, column, texts, walk
from protoc_runtime.manifests.records import Field, ManifestPhase
from protoc_runtime.phases.records import guard_name
from protoc_runtime.procedure import Hidden
from protoc_runtime.record import replace
from protoc_runtime.review_facts import FIRST, SAVED, SHOWN, tables


def rename_in_procedure(protocol: core.Protocol, subject: str, old: str, new: str) -> core.Protocol:
    """The protocol with the thing `old` called `new`."""
    if subject == "JUDGEMENT":
        return _judgement(protocol, old, new)
    if subject == "MANIFEST_PHASE":
        return walk(protocol, _of_manifest(old, new))
    if subject == "MANIFEST_FIELD":
        return walk(protocol, {Field: lambda value: replace(value, path=new) if value.path == old else value})
    return walk(protocol, _phase(protocol, old, new) if subject == "PHASE" else _provider(old, new))


def _phase(protocol: core.Protocol, old: str, new: str) -> Changes:
    """A phase is named by those that lead to it, by what is made after it, by the record of its last run, by the
    manifest, and by formulas that ask which phase is run; its guard is a definition that has its name."""
    runs = {table.name for table in protocol.tables if table.source == "runner"}

    def to(text: str) -> str:
        """The new name for the old one; any other as it is."""
        return new if text == old else text

    def guard(value: Any) -> Any:
        """The guard, or a formula that reads it."""
        named = value.space == "definitions" and value.name == guard_name(old)
        return replace(value, name=guard_name(new)) if named else value

    def asks(parts: tuple[core.Expr, ...]) -> bool:
        """Whether one of these parts of a formula is the phase that is run."""
        return any(isinstance(x, core.Column) and x.name == "phase" and x.row.type.table in runs for x in parts)

    def written(parts: tuple[core.Expr, ...]) -> tuple[core.Expr, ...]:
        """The same with the new name for the old one, where it is written as a text."""
        return tuple(replace(x, value=new) if isinstance(x, core.Const) and x.value == old else x for x in parts)

    def phase(value: core.Phase) -> core.Phase:
        """The phase, or one that leads to it."""
        then = tuple((word, tuple(map(to, names))) for word, names in value.then)
        enter = guard_name(new) if value.enter == guard_name(old) else value.enter
        return replace(value, name=to(value.name), enter=enter, then=then)

    return {
        core.Phase: phase,
        core.Split: lambda value: texts(value, to, "after"),
        core.Table: lambda value: _of(value, ("phase",), old, new),
        core.Statement: lambda value: _shown_by(value, old, new),
        core.Compare: lambda value: replace(value, operands=written(value.operands)) if asks(value.operands) else value,
        core.InList: lambda value: replace(value, members=written(value.members)) if asks((value.item,)) else value,
        **dict.fromkeys((core.Item, core.Global), guard),
        **_of_manifest(old, new),
    }


def _of_manifest(old: str, new: str) -> Changes:
    """A phase of the manifest, and the fields that it is the first to need."""
    return {
        ManifestPhase: lambda value: replace(value, name=new) if value.name == old else value,
        Field: lambda value: replace(value, needed=new) if value.needed == old else value,
    }


def _judgement(protocol: core.Protocol, old: str, new: str) -> core.Protocol:
    """A judgement is named by those that follow it, by what is hidden or forbidden until it is saved, and by the
    columns that hold when it was saved and shown."""

    def to(text: str) -> str:
        """The new name for the old one; any other as it is."""
        return new if text == old else text

    def before(text: str) -> str:
        """Until when a claim is forbidden."""
        return f"before {new}" if text.split() == ["before", old] else text

    made = walk(protocol, {
        core.Judgement: lambda value: texts(value, to, "name", "follows", "after"),
        core.Claim: lambda value: texts(value, before, "never"),
        Hidden: lambda value: replace(value, who=tuple((who, to(until)) for who, until in value.who)),
    })  # fmt: skip
    names = {f"{old}{SAVED}": f"{new}{SAVED}", f"{FIRST}{old}{SHOWN}": f"{FIRST}{new}{SHOWN}"}
    for table in tables(protocol):
        for own in table.columns:
            if own.name in names:
                made = column(made, table.name, own.name, names[own.name])
    return made


def _provider(old: str, new: str) -> Changes:
    """A provider is named by the tables and records of what is observed of it."""
    return {
        core.Provider: lambda value: replace(value, name=new) if value.name == old else value,
        core.Table: lambda value: _of(value, ("ledger of", "provider"), old, new),
        core.Statement: lambda value: _shown_by(value, old, new),
    }


def _of(table: core.Table, openings: tuple[str, ...], old: str, new: str) -> core.Table:
    """A table of what is observed of the renamed thing."""
    opening = next((each for each in openings if table.source.split() == [*each.split(), old]), None)
    return table if opening is None else replace(table, source=f"{opening} {new}")


def _shown_by(statement: core.Statement, old: str, new: str) -> Any:
    """A step that a rule of conduct of the renamed thing shows: `PHASE.enter`, `PROVIDER.stop`."""
    return texts(statement, lambda text: new + text[len(old) :] if text.startswith(f"{old}.") else text, "shown_by")
