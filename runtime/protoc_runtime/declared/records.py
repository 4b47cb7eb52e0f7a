"""The records that say what a protocol declares, as far as the runtime reads it."""

from __future__ import annotations

from datetime import date, datetime
from fractions import Fraction
from typing import Any

from protoc_runtime.agents.records import Session
from protoc_runtime.evidence import Due
from protoc_runtime.manifests.records import Copy, Manifest
from protoc_runtime.parity.records import Parity
from protoc_runtime.phases.records import PhaseDuty, Preserved
from protoc_runtime.procedure import Hidden, Judgement, Output, Provider, Sealed, Target
from protoc_runtime.record import record

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
    """A column. `origin`: input, subject, listed, key, derived, metric, adjudicated, observed. One that is derived
    `waits` if people decide it: before they have told, it has no value yet."""

    name: str
    type: Type
    optional: bool
    origin: str
    derived: bool
    says: str = ""
    cites: tuple[str, ...] = ()
    waits: bool = False


@record
class Unpivot:
    """Wide input made long: label column, (member, text in wide names), (long name, wide pattern)."""

    label: str
    labels: tuple[tuple[str, str], ...]
    columns: tuple[tuple[str, str], ...]


@record
class Table:
    """A table; fields as in the compiler's `core.Table`, and `due`. `listed` holds decoded cells in the
    order of the columns."""

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
    due: tuple[Due, ...]  # when each expectation can be checked
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
    after: str = ""  # the phase after which its rows are made
    cases: int = 0  # how many rows it has; 0: any number
    status: str = ""  # `consumed`: spent elsewhere
    disjoint_from: tuple[str, ...] = ()
    at_most: int = 0  # how many different subjects may read it; 0: any number


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
    session: Session | None = None
    files: tuple[str, ...] = ()
    pool: bool = False


@record
class Phase:
    """A phase and the splits that it reads for its use; of a state machine also its place there, as in `core.Phase`."""

    name: str
    reads: tuple[str, ...]
    use: str
    says: str
    cites: tuple[str, ...]
    owner: str = ""
    enter: str = ""
    once: bool = False
    ends: tuple[str, ...] = ()
    then: tuple[tuple[str, tuple[str, ...]], ...] = ()
    may_change: tuple[str, ...] = ()
    same: tuple[str, ...] = ()
    parity: str = ""
    never: tuple[str, ...] = ()
    records: tuple[Preserved, ...] = ()
    duties: tuple[PhaseDuty, ...] = ()


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
    copy: Copy | None = None  # the canonical block whose digest the value is

    @property
    def reads(self) -> str:
        """The file whose digest is the value, if it is not stated."""
        return self.file if self.value is None else ""


@record
class Item:
    """A named value or rule, without its formula. `withheld`: whether a condition can withhold it.

    `sources` are what it reads; `judgements` decide it, and before they are told it has no value yet. Of a blocker,
    `grade` says how good the weakest of its evidence is: proven, recorded, attested. Of a rule, `metrics` are those in
    its formula, as results name them. Of a definition, `columns` are those from outside that it rests on.
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
    columns: tuple[str, ...] = ()


@record
class Statement:
    """Words with an id or a role: steps, duties, limits, attestations, claims."""

    kind: str
    name: str
    says: str
    by: str
    cites: tuple[str, ...]
    shown_by: tuple[str, ...] = ()


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
    """A change after registration: what, why, and which data had been seen. `supersedes`: the spec digest of the
    version that it changes; `removes`: what it took out."""

    name: str
    changes: tuple[str, ...]
    why: str
    seen: tuple[str, ...]
    at: str
    supersedes: str = ""
    removes: tuple[str, ...] = ()


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
    hidden: tuple[Hidden, ...] = ()
    manifest: Manifest | None = None
    parity: Parity | None = None

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
