"""What a protocol declares: tables, items, intervals, the procedure, and the whole."""

from __future__ import annotations

from fractions import Fraction

from protoc_compiler.core.formulas import Expr, Rows
from protoc_compiler.core.types import Type, Value
from protoc_runtime.agents.records import Session
from protoc_runtime.diagnostics import Span
from protoc_runtime.phases.records import PhaseDuty, Preserved
from protoc_runtime.procedure import Hidden, KeyCites, Output, Provider, Sealed, Target
from protoc_runtime.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

if TYPE_CHECKING:  # they are loaded for a protocol that has them
    from protoc_runtime.manifests.records import Copy, Manifest
    from protoc_runtime.parity.records import Parity


@record
class Col:
    """A column of a table. `expr` (in the scope of the row variable `self`) for a derived one, else None; `text` is
    its formula as written, for people.

    `origin`: input (a file or the subject gave it), listed, key, derived, metric (`with`), adjudicated, observed.
    """

    name: str
    type: Type
    optional: bool
    origin: str
    expr: Expr | None = None
    says: str = ""
    cites: tuple[str, ...] = ()
    span: Span | None = None
    text: str = ""


@record
class UnpivotPlan:
    """How wide input is made long: label column, (member, text in wide names), (long name, wide pattern)."""

    label: str
    labels: tuple[tuple[str, str], ...]
    columns: tuple[tuple[str, str], ...]


@record
class Table:
    """A table.

    kind: `input` (rows come from outside: see `source`), `listed` (rows in the spec), `nested` (a list of maps inside
    a cell of `parent`; columns: the parent's name as a reference, `position`, the declared ones), `subset` (of
    `root`, by `rows`), `grouped` (by `group` over `rows`), `cross`, `stack` (of `parts`), `sample`.

    A subset has its root's identity: its rows *are* rows of the root, so only roots have columns. Reference types
    name roots.
    """

    name: str
    kind: Literal["input", "listed", "nested", "subset", "grouped", "cross", "stack", "sample"]
    root: str
    key: tuple[str, ...] = ()
    order: tuple[str, ...] = ()  # columns; ("file",) is the order of the lines
    columns: tuple[Col, ...] = ()
    source: str = ""  # file, subject, runner, registry, seal, freeze, ...
    file: str = ""
    record: bool = False  # one row, read like a record
    parent: str = ""
    rows: Rows | None = None  # of a subset, grouped, sample
    group: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    sample: tuple[int, str] | None = None  # n, seed
    within: str = ""  # of a sample: the column each of whose values is drawn by itself
    listed: tuple[tuple[Value, ...], ...] = ()  # in the order of columns
    labels: tuple[str, ...] = ()  # of listed rows: the key as written (`0.40`), for the names of entries
    unpivot: UnpivotPlan | None = None
    expect: tuple[Item, ...] = ()
    duplicates: str = ""  # the gate that judges them
    says: str = ""
    cites: tuple[str, ...] = ()
    span: Span | None = None
    text: str = ""  # of a defined table: its formula as written, for people

    def column(self, name: str) -> Col | None:
        """The column of this name, or None."""
        for column in self.columns:  # a loop: this is asked a thousand times, mostly of few columns
            if column.name == name:
                return column
        return None

    def cells(self, name: str) -> tuple[tuple[str, Value], ...]:
        """Of a listed table: the cells of a column that is no formula, each after the key of its row."""
        at = [column.name for column in self.columns if column.expr is None].index(name)
        return tuple((label, row[at]) for label, row in zip(self.labels, self.listed, strict=True))


@record
class Item:
    """A named value or rule.

    `space`: definitions, metrics, blockers, gates, checks, verdicts, verdict, statuses, lists, expect. `name` is the
    author's name with its placeholders. `per` are the tables of the placeholders: empty for a study-level item; else
    there is one entry per combination of rows, and `expr` reads the rows through row variables `per0`, `per1`, ...
    """

    space: str
    name: str
    type: Type
    expr: Expr
    text: str  # the formula as written, for people
    per: tuple[str, ...] = ()
    says: str = ""
    parts: tuple[tuple[str, Expr], ...] = ()  # of all/any: each with its text
    joined: Literal["", "all", "any"] = ""
    withheld: Expr | None = None  # when not false, the item is undefined and marked
    forces: str = ""  # blockers
    fires_undefined: bool = True  # blockers
    words: tuple[str, ...] = ()  # verdicts: every word, in order
    cites: tuple[str, ...] = ()
    span: Span | None = None
    better: str = ""  # metrics: "higher", "lower", or "" where the author says neither
    withheld_text: str = ""  # the condition under which it is withheld, as written

    def lines(self, number: int) -> list[str]:
        """The texts of a first-match list with so many lines; only their numbers where a text has the sign between."""
        found = " ".join(self.text.split()).split("; ")
        return found if len(found) == number else [f"line {at + 1}" for at in range(number)]


@record
class Interval:
    """A resampling interval (see the language reference).

    `resample` are the row sets that are drawn, in this order; `within` are formulas about a row of them that split
    the draw into strata, in declared order (of an enum's members, of a listed table's rows, else sorted). `follow`
    are rows that belong to a drawn row: their `match` and `where` read it through the variable of the resampled rows.
    With `per` there is one interval per row, read through `per0`, ... as in an item.
    """

    name: str
    metric: str  # the item's name; with `per` as the metric has
    per: tuple[str, ...]
    resample: tuple[Rows, ...]
    follow: tuple[Rows, ...]
    within: tuple[Expr, ...]
    out_of: Expr | None
    draws: int
    generator: str
    seed: str
    level: Fraction
    outputs: tuple[tuple[str, str], ...]  # (low|high|kept|p, item name)
    says: str = ""
    cites: tuple[str, ...] = ()
    span: Span | None = None


@record
class Split:
    """A split; its rows are those whose column of type `splits` names it."""

    name: str
    role: str
    may: tuple[str, ...]
    says: str = ""
    was: str = ""
    baseline: str = ""
    cites: tuple[str, ...] = ()
    after: str = ""  # the phase after which its rows are made
    cases: int = 0  # how many rows it has; 0: any number
    status: str = ""  # `consumed`: spent elsewhere
    disjoint_from: tuple[str, ...] = ()
    at_most: int = 0  # how many different subjects may read it; 0: any number


@record
class Subject:
    """What is evaluated. `target`: `path.py:function`, the folder of recorded rows, the command as one line, or the
    URL. `gives`: the tables that it fills. `timeout` in seconds.

    Of a session, `sees` may be paths through references: `law.elements`. Of a command: `argv`; `directory` in
    which it runs: `target`, `empty` (a fresh one) or a path beside the spec; and `environment`, the variables of
    the runner's own that it gets; `files` that it may read beside its folder and the system (`env NAME`: the path
    is in a variable); `pool`: it stays and answers one case after the other.
    """

    kind: Literal["python", "recorded", "command", "http"]
    target: str
    unit: str
    sees: tuple[str, ...]
    gives: tuple[str, ...]
    code: tuple[str, ...]
    timeout: Fraction | None
    concurrency: int
    cites: KeyCites = ()
    argv: tuple[str, ...] = ()
    directory: str = ""
    environment: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    pool: bool = False
    session: Session | None = None


@record
class Judgement:
    """What people decide after the run; fields as in `protoc_runtime.procedure`. `sees` are formulas about a row of
    `judges`, read through the row variable `self`; those of a list of rows in a cell have names with a dot."""

    name: str
    judges: str
    fills: str
    column: str
    key: tuple[str, ...]
    sees: tuple[tuple[str, Expr], ...]
    labels: tuple[tuple[str, str], ...]
    after: tuple[str, ...] = ()
    says: str = ""
    cites: tuple[str, ...] = ()
    span: Span | None = None
    choices: str = ""
    marks: str = ""
    follows: tuple[str, ...] = ()
    raters: tuple[str, ...] = ()


@record
class Phase:
    """A phase, the splits that it reads for its use, and its place in the state machine (`protoc_runtime.phases`).

    `enter` is the name of the definition that is its guard. `then` are the edges: with which verdict to which phases.
    `parity` is the file of the report without which it does not lead on.
    """

    name: str
    reads: tuple[str, ...]
    use: str
    says: str = ""
    cites: tuple[str, ...] = ()
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
    value: Value
    file: str = ""
    cites: tuple[str, ...] = ()
    measured: Measured | None = None
    copy: Copy | None = None  # the canonical block whose digest the value is


@record
class Statement:
    """Words with an id or a role: steps, duties, limits, attestations, claims."""

    kind: str
    name: str
    says: str
    by: str = ""
    cites: tuple[str, ...] = ()
    shown_by: tuple[str, ...] = ()  # rules of conduct that show a step


@record
class Claim:
    """What may be said: on the strength of which `verdicts`, or as `may` and `never` say in words."""

    name: str
    verdicts: tuple[str, ...] = ()
    may: str = ""
    never: str = ""
    says: str = ""
    status: str = ""


@record
class Amendment:
    """A change after registration: what, why, and which data had been seen. `supersedes`: the spec digest of the
    version that it changes; `removes`: what it took out."""

    name: str
    changes: tuple[str, ...]
    why: str
    seen: tuple[str, ...]
    at: str = ""
    supersedes: str = ""
    removes: tuple[str, ...] = ()


@record
class Protocol:
    """A resolved protocol."""

    id: str
    version: int
    title: str
    head: tuple[tuple[str, str], ...]
    question: tuple[tuple[str, str], ...]
    tables: tuple[Table, ...]  # in declared order, then definitions in declared order
    splits: tuple[Split, ...]
    subject: Subject | None
    freeze: tuple[Freeze, ...]
    phases: tuple[Phase, ...]
    items: tuple[Item, ...]  # definitions, metrics, blockers, gates, checks, verdicts, verdict, statuses, lists
    intervals: tuple[Interval, ...]
    released: tuple[str, ...]
    statements: tuple[Statement, ...]
    claims: tuple[Claim, ...] = ()
    amendments: tuple[Amendment, ...] = ()
    target: Target | None = None
    providers: tuple[Provider, ...] = ()
    judgements: tuple[Judgement, ...] = ()
    outputs: tuple[Output, ...] = ()
    sealed: Sealed | None = None
    manifest: Manifest | None = None
    parity: Parity | None = None
    hidden: tuple[Hidden, ...] = ()

    @property
    def package(self) -> str:
        """The name of the generated package: `karsa_extractor_v2`."""
        return f"{self.id.replace('-', '_')}_v{self.version}"

    def table(self, name: str) -> Table:
        """The table of this name."""
        return next(table for table in self.tables if table.name == name)

    def of(self, space: str) -> tuple[Item, ...]:
        """The items of one name space, in declared order."""
        return tuple(item for item in self.items if item.space == space)
