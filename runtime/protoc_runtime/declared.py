"""What a protocol declares, as the runtime needs it: read from `protocol.json`, without the compiler.

`protocol.json` is the canonical identity of a protocol (`protoc-identity/1`): its SHA-256 is the spec digest. This
module reads the tables, splits, phases and the names of rules; the formulas in it are for other readers. Positions
and the spelling of formulas are not part of a protocol's identity, so they are not here either.
"""

from __future__ import annotations

import hashlib
import json
from datetime import date, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

from protoc_runtime import procedure
from protoc_runtime.catalogue import rows as kinds
from protoc_runtime.diagnostics import Findings, Refused, Span
from protoc_runtime.evidence import rests
from protoc_runtime.procedure import Judgement, Output, Provider, Sealed, Target
from protoc_runtime.record import record
from protoc_runtime.rule_metrics import metrics_of

FORMAT = "protoc-identity/1"
T = TypeVar("T")

Cell = bool | int | Fraction | str | date | datetime | tuple[Any, ...] | None


@record
class Type:
    """A type, as the compiler's `core.Type`: `kind` tells which of the other fields count."""

    kind: str
    members: tuple[str, ...] = ()
    unit: str = ""
    shown: str = ""
    item: Type | None = None
    table: str = ""
    fields: tuple[tuple[str, Type], ...] = ()


@record
class Column:
    """A column. `origin`: input, subject, listed, key, derived, metric, adjudicated, observed."""

    name: str
    type: Type
    optional: bool
    origin: str
    derived: bool
    says: str = ""
    cites: tuple[str, ...] = ()


@record
class Unpivot:
    """Wide input made long: label column, (member, text in wide names), (long name, wide pattern)."""

    label: str
    labels: tuple[tuple[str, str], ...]
    columns: tuple[tuple[str, str], ...]


@record
class Table:
    """A table; fields as in the compiler's `core.Table`. `listed` holds decoded cells in the order of the columns."""

    name: str
    kind: str
    root: str
    key: tuple[str, ...]
    order: tuple[str, ...]
    columns: tuple[Column, ...]
    source: str
    file: str
    record: bool
    parent: str
    group: tuple[str, ...]
    parts: tuple[str, ...]
    listed: tuple[tuple[Cell, ...], ...]
    labels: tuple[str, ...]
    unpivot: Unpivot | None
    expect: tuple[str, ...]
    duplicates: str
    says: str
    cites: tuple[str, ...]

    def column(self, name: str) -> Column | None:
        """The column of this name, or None."""
        for column in self.columns:  # asked for every cell that is written
            if column.name == name:
                return column
        return None

    @property
    def stored(self) -> tuple[Column, ...]:
        """The columns whose values are given (by a file, the spec or the subject) and not computed."""
        return tuple(c for c in self.columns if not c.derived and c.origin not in ("derived", "metric", "stacked"))


@record
class Split:
    """A split of the data and the closed list of its uses: tune, score, score once."""

    name: str
    role: str
    may: tuple[str, ...]
    says: str
    was: str
    baseline: str
    cites: tuple[str, ...]


@record
class Subject:
    """What is evaluated; fields as in the compiler's `core.Subject`, `timeout` in seconds."""

    kind: str
    target: str
    unit: str
    sees: tuple[str, ...]
    gives: tuple[str, ...]
    code: tuple[str, ...]
    timeout: Fraction | None
    concurrency: int
    cites: tuple[tuple[str, tuple[str, ...]], ...]
    argv: tuple[str, ...] = ()
    directory: str = ""
    environment: tuple[str, ...] = ()


@record
class Phase:
    """A phase and the splits that it reads for its use."""

    name: str
    reads: tuple[str, ...]
    use: str
    says: str
    cites: tuple[str, ...]


@record
class Measured:
    """Where a frozen value comes from: the bundle of an earlier run, its metric, the digest of its receipt."""

    run: str
    metric: str
    receipt: str


@record
class Freeze:
    """A frozen value: a literal, or the digest of a file (`value` is then None, or what the digest must be)."""

    name: str
    type: Type
    value: Cell
    file: str
    cites: tuple[str, ...]
    measured: Measured | None = None

    @property
    def reads(self) -> str:
        """The file whose digest is the value, if it is not stated."""
        return self.file if self.value is None else ""


@record
class Item:
    """A named value or rule, without its formula. `withheld`: whether a condition can withhold it.

    `sources` are what it reads; `judgements` decide it, and before they are told it has no value yet. Of a blocker,
    `grade` says how good the weakest of its evidence is: proven, recorded, attested. Of a rule, `metrics` are those in
    its formula, as results name them.
    """

    space: str
    name: str
    type: Type
    per: tuple[str, ...]
    says: str
    joined: str
    withheld: bool
    forces: str
    fires_undefined: bool
    words: tuple[str, ...]
    cites: tuple[str, ...]
    grade: str = ""
    sources: tuple[str, ...] = ()
    judgements: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()


@record
class Statement:
    """Words with an id or a role: steps, duties, limits, attestations, claims."""

    kind: str
    name: str
    says: str
    by: str
    cites: tuple[str, ...]


@record
class Claim:
    """What may be said: on the strength of which `verdicts`, or as `may` and `never` say in words."""

    name: str
    verdicts: tuple[str, ...]
    may: str
    never: str
    says: str
    status: str


@record
class Amendment:
    """A change after registration: what, why, and which data had been seen."""

    name: str
    changes: tuple[str, ...]
    why: str
    seen: tuple[str, ...]
    at: str


@record
class Declared:
    """A protocol as far as the runtime reads it. `digest` is the spec digest (`sha256:` and 64 hex digits)."""

    id: str
    version: int
    title: str
    digest: str
    head: tuple[tuple[str, str], ...]
    question: tuple[tuple[str, str], ...]
    tables: tuple[Table, ...]
    splits: tuple[Split, ...]
    subject: Subject | None
    freeze: tuple[Freeze, ...]
    phases: tuple[Phase, ...]
    items: tuple[Item, ...]
    released: tuple[str, ...]
    statements: tuple[Statement, ...]
    target: Target | None = None
    providers: tuple[Provider, ...] = ()
    judgements: tuple[Judgement, ...] = ()
    outputs: tuple[Output, ...] = ()
    claims: tuple[Claim, ...] = ()
    amendments: tuple[Amendment, ...] = ()
    sealed: Sealed | None = None

    @property
    def package(self) -> str:
        """The name of the generated package: `karsa_extractor_v2`."""
        return f"{self.id.replace('-', '_')}_v{self.version}"

    def table(self, name: str) -> Table:
        """The table of this name; KeyError if there is none."""
        for table in self.tables:
            if table.name == name:
                return table
        raise KeyError(name)

    def split(self, name: str) -> Split:
        """The split of this name; KeyError if there is none."""
        for split in self.splits:
            if split.name == name:
                return split
        raise KeyError(name)

    def of(self, space: str) -> tuple[Item, ...]:
        """The items of one name space (metrics, gates, ...), in declared order."""
        return tuple(item for item in self.items if item.space == space)

    def nested(self, table: str) -> tuple[tuple[str, Table], ...]:
        """The nested tables of a table, each with the name of the column that holds its rows."""
        return tuple((t.name[len(table) + 1 :], t) for t in self.tables if t.kind == "nested" and t.parent == table)

    def base(self, kind: Type) -> Type:
        """The type in which a value of this type is written: a reference is written as the key of its table."""
        while kind.kind == "row":
            table = self.table(kind.table)
            column = table.column(table.key[0])
            assert column is not None, f"table {table.name} has no key column"
            kind = column.type
        return kind


def load(source: str | Path | bytes) -> Declared:
    """Read `protocol.json` from a path or its bytes; refuses (E1001) what is not `protoc-identity/1`."""
    where = "protocol.json" if isinstance(source, bytes) else str(source)
    raw = source if isinstance(source, bytes) else Path(source).read_bytes()
    try:
        document = json.loads(raw)
        if document["format"] != FORMAT:
            raise ValueError(f"its format is {document['format']!r}")
        return _Decoder(document["protocol"]).protocol("sha256:" + hashlib.sha256(raw).hexdigest())
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        findings = Findings()
        place = Span(where, 1, 1, 1, 2)
        findings.add(kinds.BAD_PROTOCOL, place, found=_why(error), expected=FORMAT)
        raise Refused(findings) from error


def _why(error: Exception) -> str:
    """What is wrong with a file that was not written by the compiler, or not as a whole."""
    return str(error) if isinstance(error, ValueError) else f"a part of it is lacking or of another kind: {error}"


class _Decoder:
    """Builds the records above from the generic form in which every value is text, a bool, null or a list."""

    def __init__(self, protocol: dict[str, Any]) -> None:
        self._protocol = protocol
        self._keys = {table["name"]: table for table in protocol["tables"]}

    def protocol(self, digest: str) -> Declared:
        given = self._protocol
        return Declared(
            id=given["id"],
            version=int(given["version"]),
            title=given["title"],
            digest=digest,
            head=_pairs(given["head"]),
            question=_pairs(given["question"]),
            tables=tuple(self._table(table) for table in given["tables"]),
            splits=tuple(_plain(Split, split) for split in given["splits"]),
            subject=_subject(given["subject"]),
            freeze=tuple(self._freeze(freeze) for freeze in given["freeze"]),
            phases=tuple(_plain(Phase, phase) for phase in given["phases"]),
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
                "metrics": metrics_of(item["expr"]) if item["space"] in ("blockers", "gates", "checks") else (),
            }
            made.append(_plain(Item, item, type=_type(item["type"]), **about))
        return tuple(made)

    def _table(self, given: dict[str, Any]) -> Table:
        columns = tuple(_column(column) for column in given["columns"])
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
        )

    def _freeze(self, given: dict[str, Any]) -> Freeze:
        kind = _type(given["type"])
        measured = given.get("measured")
        source = measured and _plain(Measured, measured)
        return _plain(Freeze, given, type=kind, value=self._cell(given["value"], kind), measured=source)

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


def _column(given: dict[str, Any]) -> Column:
    return _plain(Column, given, type=_type(given["type"]), derived=given["expr"] is not None)


def _type(given: dict[str, Any]) -> Type:
    item = given["item"]
    fields = tuple((name, _type(kind)) for name, kind in given["fields"])
    return _plain(Type, {"shown": "", **given}, item=item and _type(item), fields=fields)


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
