"""A protocol in which one thing has another name, everywhere it is named."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from operator import is_
from typing import Any, TypeVar

from protoc_compiler import core
from protoc_compiler.drift.things import SPACES
from protoc_runtime.procedure import Hidden
from protoc_runtime.record import replace

_PLAIN = {str, int, bool, type(None), Fraction}  # what nothing is named in
_KEPT = ("says", "cites", "text", "span", "title", "why")  # words of people, which name nothing
RULES = ("GATE", "BLOCKER", "CHECK")


def rename(protocol: core.Protocol, subject: str, owner: str, old: str, new: str) -> core.Protocol:
    """The protocol with the thing `old` called `new`; `owner` is the table of a column."""
    if subject == "TABLE":
        return _walk(protocol, _table(old, new))
    if subject == "COLUMN":
        return _column(protocol, owner, old, new)
    if subject in SPACES:
        return _item(protocol, subject, old, new)
    if subject == "FREEZE":
        return _walk(protocol, _value("freeze", old, new, core.Freeze))
    if subject == "SPLIT":
        return _walk(protocol, _split(old, new))
    if subject == "INTERVAL":
        return _walk(protocol, _interval(old, new))
    return _walk(protocol, _own(subject, old, new))


Change = Callable[[Any], Any]
T = TypeVar("T")


def _walk(value: T, change: Change) -> T:
    """Rebuild a tree from its leaves; `change` maps each record that has been rebuilt."""
    kind: Any = type(value)
    if kind is tuple:
        made: Any = tuple([part if type(part) in _PLAIN else _walk(part, change) for part in value])  # type: ignore[attr-defined]
        return value if all(map(is_, made, value)) else made  # type: ignore[call-overload]
    fields = _fields(kind)
    if fields is None:
        return value
    changed = {}
    values = value.__dict__
    for name in fields:
        part = values[name]
        if type(part) not in _PLAIN:
            walked = _walk(part, change)
            if walked is not part:
                changed[name] = walked
    again: T = change(replace(value, **changed) if changed else value)
    return again


@cache
def _fields(kind: Any) -> tuple[str, ...] | None:
    fields: tuple[str, ...] | None = getattr(kind, "__record_fields__", None)
    return None if fields is None else tuple(name for name in fields if name not in _KEPT)


def _texts(value: Any, to: Callable[[str], str], *names: str) -> Any:
    """A record with some of its texts, or tuples of texts, mapped."""
    changed: dict[str, Any] = {}
    for name in names:
        part = getattr(value, name, None)
        again = to(part) if isinstance(part, str) else part
        if isinstance(part, tuple):
            again = tuple(to(text) if isinstance(text, str) else text for text in part)
        if again != part:
            changed[name] = again
    return replace(value, **changed) if changed else value


def _table(old: str, new: str) -> Change:
    def to(text: str) -> str:
        """The name of a table under the new name: itself, or one nested in it."""
        return new if text == old else new + text[len(old) :] if text.startswith(f"{old}.") else text

    def held(text: str) -> str:
        """The name of an item with the table in a placeholder renamed."""
        return text.replace(f"<{old}>", f"<{new}>")

    def change(value: Any) -> Any:
        """One node of the tree with the table renamed wherever it is named."""
        match value:
            case core.Table():
                return _texts(value, to, "name", "root", "parent", "parts")
            case core.Rows() | core.Type():
                return _texts(value, to, "table")
            case core.Item() | core.Interval():
                return _texts(_texts(value, to, "per"), held, "name", "metric")
            case core.Global() | core.Entry():
                return _texts(value, held, "name")
            case core.Judgement():
                return _texts(value, to, "judges", "fills")
            case core.Subject():
                return _texts(value, to, "unit", "gives")
            case core.Output():
                return _texts(value, to, "of", "kept")
            case Hidden():
                return _texts(value, to, "table")
        return value

    return change


def _column(protocol: core.Protocol, owner: str, old: str, new: str) -> core.Protocol:
    roots = {table.name: table.root for table in protocol.tables}

    def to(text: str) -> str:
        """The new name for the old one; any other as it is."""
        return new if text == old else text

    def change(value: Any) -> Any:
        """One node of the tree with the column renamed wherever it is meant."""
        match value:
            case core.Column() if value.row.type.table == owner:
                return _texts(value, to, "name")
            case core.Rows() if roots.get(value.table, value.table) == owner:
                return replace(value, match=tuple(_texts(match, to, "column") for match in value.match))
            case core.Table() if value.name == owner:
                columns = tuple(_texts(column, to, "name") for column in value.columns)
                return _texts(replace(value, columns=columns), to, "key", "order")
            case core.Table() if value.kind == "subset" and value.root == owner:
                return _texts(value, to, "key", "order")
            case core.Subject() if value.unit == owner:
                return _texts(value, to, "sees")
            case core.Judgement() if roots.get(value.fills) == owner:
                return _texts(value, to, "column", "key")
            case core.Output() if roots.get(value.of) == owner:
                return _texts(value, to, "shows", "rejected", "digests")
            case Hidden() if roots.get(value.table) == owner:
                return _texts(value, to, "column")
        return value

    made: core.Protocol = _walk(protocol, change)
    for table in protocol.tables:
        grouped = table.kind == "grouped" and table.rows is not None and roots.get(table.rows.table) == owner
        if grouped and old in table.group:
            made = _column(_grouped(made, table.name, to), table.name, old, new)
    return made


def _grouped(protocol: core.Protocol, name: str, to: Callable[[str], str]) -> core.Protocol:
    tables = tuple(_texts(table, to, "group") if table.name == name else table for table in protocol.tables)
    return replace(protocol, tables=tables)


def _item(protocol: core.Protocol, subject: str, old: str, new: str) -> core.Protocol:
    space = SPACES[subject]
    prefix = f"{space}." if subject in RULES else ""

    def to(text: str) -> str:
        """The new name for the old one; any other as it is."""
        return new if text == old else text

    def listed(text: str) -> str:
        """The same for a name behind its name space, as lists of sealed items have it."""
        return f"{prefix}{new}" if text == f"{prefix}{old}" else text

    def change(value: Any) -> Any:
        """One node of the tree with the item renamed wherever it is named."""
        match value:
            case core.Item() if value.space == space:
                return _texts(value, to, "name")
            case core.Global() | core.Entry() if value.space == space:
                return _texts(value, to, "name")
            case core.Sealed():
                made = _texts(value, listed, "items")
                return replace(made, items=tuple(sorted(made.items)))
            case core.Interval() if subject == "METRIC":
                return _texts(value, to, "metric")
            case core.Table():
                return _texts(value, listed, "duplicates")
        return value

    made: core.Protocol = _walk(protocol, change)
    if subject == "METRIC":
        for table in protocol.tables:
            column = table.column(old)
            if column is not None and column.origin == "metric":
                made = _column(made, table.name, old, new)
    return made


def _value(space: str, old: str, new: str, kind: type) -> Change:
    def change(value: Any) -> Any:
        """One node of the tree, renamed if it is the value or reads it."""
        named = isinstance(value, kind) or (isinstance(value, core.Global) and value.space == space)
        return replace(value, name=new) if named and value.name == old else value

    return change


def _split(old: str, new: str) -> Change:
    def to(text: str) -> str:
        """The new name for the old one; any other as it is."""
        return new if text == old else text

    def change(value: Any) -> Any:
        """One node of the tree with the split renamed, as a word of formulas too."""
        match value:
            case core.Split():
                return _texts(value, to, "name", "was", "disjoint_from")
            case core.Phase():
                return _texts(value, to, "reads")
            case core.Amendment():
                return _texts(value, to, "seen")
            case core.Const(kind, text) if text == old and kind.kind == "text":
                return replace(value, value=new)
            case core.Table() if value.name == "splits":
                rows = tuple((to(str(row[0])), *row[1:]) for row in value.listed)
                return _texts(replace(value, listed=rows), to, "labels")
        return value

    return change


def _interval(old: str, new: str) -> Change:
    def change(value: Any) -> Any:
        """One node of the tree, renamed if it is the interval or one of its bounds."""
        match value:
            case core.Interval(name=name) if name == old:
                return replace(value, name=new)
            case core.Bound(interval=name) if name == old:
                return replace(value, interval=new)
        return value

    return change


def rename_words(protocol: core.Protocol, words: dict[str, str]) -> core.Protocol:
    """The protocol with other words for its verdict."""

    def to(text: str) -> str:
        """The new word for an old one; any other as it is."""
        return words.get(text, text)

    def change(value: Any) -> Any:
        """One node of the tree, with its word replaced if it is a literal of one."""
        word = value.value if isinstance(value, core.Const) else None
        return replace(value, value=to(word)) if isinstance(word, str) and word in words else value

    items = []
    for item in protocol.items:
        if item.space == "verdict":
            item = _texts(replace(item, expr=_walk(item.expr, change)), to, "words")
            item = replace(item, type=_texts(item.type, to, "members"))
        items.append(_texts(item, to, "forces") if item.space == "blockers" else item)
    claims = tuple(_texts(claim, to, "verdicts") for claim in protocol.claims)
    made: core.Protocol = _texts(replace(protocol, items=tuple(items), claims=claims), to, "released")
    return made


def _own(subject: str, old: str, new: str) -> Change:
    """A thing that nothing but itself names: a phase, a provider, a claim."""
    kinds: dict[str, type] = {
        "PHASE": core.Phase, "PROVIDER": core.Provider, "JUDGEMENT": core.Judgement, "CLAIM": core.Claim,
        "ATTESTATION": core.Statement, "AMENDMENT": core.Amendment, "OUTPUT": core.Output,
    }  # fmt: skip
    kind = kinds.get(subject)
    field = "path" if subject == "OUTPUT" else "name"

    def change(value: Any) -> Any:
        """One node of the tree, its field renamed if it is the thing itself."""
        if kind is not None and isinstance(value, kind) and getattr(value, field) == old:
            return replace(value, **{field: new})
        return value

    return change
