"""A protocol in which one thing has another name, everywhere it is named. Phases, judgements and providers, which much
is named after, have a module of their own: `renaming_procedure`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache, partial
from operator import is_

from protoc_compiler import core
from protoc_compiler.drift.things import SPACES
from protoc_runtime.procedure import Hidden
from protoc_runtime.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias, TypeVar

    T = TypeVar("T")

_PLAIN = {str, int, bool, type(None), Fraction}  # what nothing is named in
_KEPT = ("says", "cites", "text", "withheld_text", "span", "title", "why")  # words of people, which name nothing
RULES = ("GATE", "BLOCKER", "CHECK")


def rename(protocol: core.Protocol, subject: str, owner: str, old: str, new: str) -> core.Protocol:
    """The protocol with the thing `old` called `new`; `owner` is the table of a column."""
    if subject == "TABLE":
        return walk(protocol, _table(old, new))
    if subject == "COLUMN":
        return column(protocol, owner, old, new)
    if subject in SPACES:
        return _item(protocol, subject, old, new)
    if subject == "FREEZE":
        return walk(protocol, _freeze(old, new))
    if subject == "SPLIT":
        return walk(protocol, _split(old, new))
    if subject == "INTERVAL":
        return walk(protocol, _interval(old, new))
    return _own(protocol, subject, old, new)


Changes: TypeAlias = "Mapping[type, Callable[[Any], Any]]"


def walk(value: T, changes: Changes) -> T:
    """Rebuild a tree from its leaves; `changes` map the records of some classes when they have been rebuilt."""
    kind: Any = type(value)
    if kind is tuple:
        made: Any = tuple([part if type(part) in _PLAIN else walk(part, changes) for part in value])  # type: ignore[attr-defined]
        return value if all(map(is_, made, value)) else made  # type: ignore[call-overload]
    fields = _fields(kind)
    if fields is None or (kind is core.Type and kind not in changes):  # half of all records; in it are but types
        return value
    changed = {}
    for name in fields:
        part = getattr(value, name)
        if type(part) not in _PLAIN:
            walked = walk(part, changes)
            if walked is not part:
                changed[name] = walked
    rebuilt = replace(value, **changed) if changed else value
    change = changes.get(kind)
    return rebuilt if change is None else change(rebuilt)


@cache
def _fields(kind: Any) -> tuple[str, ...] | None:
    fields: tuple[str, ...] | None = getattr(kind, "__record_fields__", None)
    return None if fields is None else tuple(name for name in fields if name not in _KEPT)


def texts(value: Any, to: Callable[[str], str], *names: str) -> Any:
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


def _table(old: str, new: str) -> Changes:
    def to(text: str) -> str:
        """The name of a table under the new name: itself, or one nested in it."""
        return new if text == old else new + text[len(old) :] if text.startswith(f"{old}.") else text

    def held(text: str) -> str:
        """The name of an item with the table in a placeholder renamed."""
        return text.replace(f"<{old}>", f"<{new}>")

    def items(value: Any) -> Any:
        """An item with the table renamed in what it is one per row of, and in its name."""
        return texts(texts(value, to, "per"), held, "name", "metric")

    return {
        core.Table: lambda value: texts(value, to, "name", "root", "parent", "parts"),
        **dict.fromkeys((core.Rows, core.Type), lambda value: texts(value, to, "table")),
        **dict.fromkeys((core.Item, core.Interval), items),
        **dict.fromkeys((core.Global, core.Entry), lambda value: texts(value, held, "name")),
        core.Judgement: lambda value: texts(value, to, "judges", "fills"),
        core.Subject: lambda value: texts(value, to, "unit", "gives"),
        core.Output: lambda value: texts(value, to, "of", "kept"),
        Hidden: lambda value: texts(value, to, "table"),
    }


def column(protocol: core.Protocol, owner: str, old: str, new: str) -> core.Protocol:
    """The protocol with a column of the table `owner` under a new name."""
    roots = {table.name: table.root for table in protocol.tables}

    def to(text: str) -> str:
        """The new name for the old one; any other as it is."""
        return new if text == old else text

    def named(value: Any, table: str | None, *names: str) -> Any:
        """What names columns of a table, if it is this one."""
        return texts(value, to, *names) if table == owner else value

    def rows(value: core.Rows) -> core.Rows:
        """Rows of the table, or of one with the same root, with the column renamed where they match by it."""
        if roots.get(value.table, value.table) != owner:
            return value
        return replace(value, match=tuple(texts(match, to, "column") for match in value.match))

    def held(value: core.Table) -> Any:
        """The table itself, or a subset of it, which has the same key and order."""
        if value.name == owner:
            columns = tuple(texts(one, to, "name") for one in value.columns)
            return texts(replace(value, columns=columns), to, "key", "order")
        return texts(value, to, "key", "order") if value.kind == "subset" and value.root == owner else value

    changes: Changes = {
        core.Column: lambda value: named(value, value.row.type.table, "name"),
        core.Rows: rows,
        core.Table: held,
        core.Subject: lambda value: named(value, value.unit, "sees"),
        core.Judgement: lambda value: named(value, roots.get(value.fills), "column", "key"),
        core.Output: lambda value: named(value, roots.get(value.of), "shows", "rejected", "digests"),
        Hidden: lambda value: named(value, roots.get(value.table), "column"),
    }
    made = walk(protocol, changes)
    for table in protocol.tables:
        grouped = table.kind == "grouped" and table.rows is not None and roots.get(table.rows.table) == owner
        if grouped and old in table.group:
            made = column(_grouped(made, table.name, to), table.name, old, new)
    return made


def _grouped(protocol: core.Protocol, name: str, to: Callable[[str], str]) -> core.Protocol:
    tables = tuple(texts(table, to, "group") if table.name == name else table for table in protocol.tables)
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

    def named(value: Any) -> Any:
        """The item, or a formula that reads it."""
        return texts(value, to, "name") if value.space == space else value

    def sealed(value: core.Sealed) -> core.Sealed:
        """What adjudication cannot change, which is listed in order."""
        made = texts(value, listed, "items")
        return replace(value, items=tuple(sorted(made.items)))

    changes: Changes = {
        **dict.fromkeys((core.Item, core.Global, core.Entry), named),
        core.Sealed: sealed,
        core.Interval: lambda value: texts(value, to, "metric") if subject == "METRIC" else value,
        core.Table: lambda value: texts(value, listed, "duplicates"),
    }
    made = walk(protocol, changes)
    if subject == "METRIC":
        for table in protocol.tables:
            own = table.column(old)
            if own is not None and own.origin == "metric":
                made = column(made, table.name, old, new)
    return made


def _freeze(old: str, new: str) -> Changes:
    def read(value: core.Global) -> core.Global:
        """A formula that reads a frozen value."""
        return replace(value, name=new) if value.space == "freeze" and value.name == old else value

    return {core.Global: read, core.Freeze: lambda value: replace(value, name=new) if value.name == old else value}


def _split(old: str, new: str) -> Changes:
    def to(text: str) -> str:
        """The new name for the old one; any other as it is."""
        return new if text == old else text

    def word(value: core.Const) -> core.Const:
        """A word of a formula that is the name of the split."""
        return replace(value, value=new) if value.value == old and value.type.kind == "text" else value

    def table(value: core.Table) -> Any:
        """The table that lists the splits."""
        if value.name != "splits":
            return value
        rows = tuple((to(str(row[0])), *row[1:]) for row in value.listed)
        return texts(replace(value, listed=rows), to, "labels")

    return {
        core.Split: lambda value: texts(value, to, "name", "was", "disjoint_from"),
        core.Phase: lambda value: texts(value, to, "reads"),
        core.Amendment: lambda value: texts(value, to, "seen"),
        core.Const: word,
        core.Table: table,
    }


def _interval(old: str, new: str) -> Changes:
    return {
        core.Interval: lambda value: replace(value, name=new) if value.name == old else value,
        core.Bound: lambda value: replace(value, interval=new) if value.interval == old else value,
    }


def rename_words(protocol: core.Protocol, words: dict[str, str]) -> core.Protocol:
    """The protocol with other words for its verdict."""

    def to(text: str) -> str:
        """The new word for an old one; any other as it is."""
        return words.get(text, text)

    def literal(value: core.Const) -> core.Const:
        """A literal, with another word if it is one of them."""
        word = value.value
        return replace(value, value=to(word)) if isinstance(word, str) and word in words else value

    def kind(value: core.Type, members: tuple[str, ...]) -> Any:
        """The type of the verdict; any other as it is."""
        return texts(value, to, "members") if value.members == members else value

    items = []
    for item in protocol.items:
        if item.space == "verdict":
            changes: Changes = {core.Const: literal, core.Type: partial(kind, members=item.type.members)}
            item = texts(replace(item, expr=walk(item.expr, changes)), to, "words")
            item = replace(item, type=texts(item.type, to, "members"))
        items.append(texts(item, to, "forces") if item.space == "blockers" else item)
    claims = tuple(texts(claim, to, "verdicts") for claim in protocol.claims)
    phases = tuple(
        replace(texts(phase, to, "ends"), then=tuple((to(word), names) for word, names in phase.then))
        for phase in protocol.phases
    )
    whole = replace(protocol, items=tuple(items), claims=claims, phases=phases)
    made: core.Protocol = texts(whole, to, "released")
    return made


def _own(protocol: core.Protocol, subject: str, old: str, new: str) -> core.Protocol:
    """The protocol with another name for a thing that nothing but itself names: a claim, an output."""
    kinds: dict[str, type] = {
        "CLAIM": core.Claim, "ATTESTATION": core.Statement, "AMENDMENT": core.Amendment, "OUTPUT": core.Output,
    }  # fmt: skip
    kind = kinds.get(subject)
    field = "path" if subject == "OUTPUT" else "name"

    def renamed(part: Any) -> Any:
        """A part of a list of the protocol, under the new name if it is the thing itself."""
        return replace(part, **{field: new}) if type(part) is kind and getattr(part, field) == old else part

    lists = {name: part for name, part in vars(protocol).items() if type(part) is tuple}
    made = {name: tuple(map(renamed, part)) for name, part in lists.items() if any(type(one) is kind for one in part)}
    return replace(protocol, **made) if made else protocol
