"""The resolved protocol: what the checker proves and everything after it reads.

Every name has been looked up, every narrowing is written out, every bare word is typed. The emitters (`emit.rules`
for polars, `emit.verify` for the standard library), the canonical identity and the analysis all work on this tree.
No node carries a position except through `Item.span`: two spellings of one meaning give one tree.

Values and undefined
--------------------
Every expression yields a value or *undefined* (None). Comparison, arithmetic and functions are strict: an undefined
operand gives undefined. `And`, `Or`, `Not` and `Quantified` are Kleene. An aggregate with an undefined operand is
undefined. `sum` and `count` of nothing are 0, `product` of nothing 1; every other aggregate of nothing is undefined;
`all` over nothing is undefined, `some` over nothing false, `no` over nothing true. x/0 is undefined. A filter
condition (`Rows.where`) is proved defined by the checker; an engine treats undefined there as an internal error.

Numbers are exact rationals. A quotient of two `int` expressions, and a `rate` or `mean` of int values, keeps its own
numerator and denominator for display ("raw"); arithmetic on it gives a reduced rational. Quantities are held in the
base unit: seconds, bytes, or the currency.
"""

from __future__ import annotations

from datetime import date, datetime
from fractions import Fraction
from typing import Literal

from protoc_runtime.diagnostics import Span
from protoc_runtime.record import record

# --- types ------------------------------------------------------------------------------------------------------

Kind = Literal[
    "bool",
    "int",
    "number",
    "real",
    "text",
    "time",
    "date",
    "digest",
    "any",
    "enum",
    "quantity",
    "set",
    "list",
    "row",
    "struct",
    "undefined",
]


@record
class Type:
    """A type.

    `members`: of an enum, in declared order. `unit`: of a quantity, `s`, `B` or a currency (the base unit); `shown`
    the unit in which it was declared (`ms`), for display. `item`: of a set or list. `table`: of a row, the *root*
    table. `fields`: of a struct result, name to type. `int` is a subtype of `number`.
    """

    kind: Kind
    members: tuple[str, ...] = ()
    unit: str = ""
    shown: str = ""
    item: Type | None = None
    table: str = ""
    fields: tuple[tuple[str, Type], ...] = ()


BOOL, INT, NUMBER, REAL = Type("bool"), Type("int"), Type("number"), Type("real")
TEXT, TIME, DATE, DIGEST, ANY, UNDEFINED = (
    Type("text"),
    Type("time"),
    Type("date"),
    Type("digest"),
    Type("any"),
    Type("undefined"),
)

# --- expressions ------------------------------------------------------------------------------------------------

Value = bool | int | Fraction | str | date | datetime | None


@record
class Expr:
    """Base: every expression has a type."""

    type: Type


@record
class Const(Expr):
    """A literal; an enum member or a word is a str, undefined is None."""

    value: Value


@record
class RowVar(Expr):
    """The current row of an opened `Rows` (its `var`), of type row."""

    var: str


@record
class Column(Expr):
    """A column of a row-valued expression; undefined where the row is."""

    row: Expr
    name: str


@record
class Global(Expr):
    """A study-level value: `space` is definitions, metrics, gates, blockers, checks, verdicts, report, freeze."""

    space: str
    name: str


@record
class Entry(Expr):
    """The entry of an item that has one per row of tables: `keys` are row-valued, in the order of `Item.per`."""

    space: str
    name: str
    keys: tuple[Expr, ...]


@record
class Negative(Expr):
    """Minus."""

    operand: Expr


@record
class Arithmetic(Expr):
    """+, -, *, / ; `^` is `power` with a literal natural exponent on the right."""

    op: Literal["+", "-", "*", "/", "^"]
    left: Expr
    right: Expr


@record
class Compare(Expr):
    """A chain of comparisons, strict as a whole: undefined if any operand is. == and != also take texts, enums,
    bools, times, digests, rows, lists and sets; the orderings take numbers, quantities, times, dates."""

    operands: tuple[Expr, ...]
    ops: tuple[Literal["==", "!=", "<", "<=", ">", ">="], ...]


@record
class InList(Expr):
    """Membership among expressions: true if one equals; else undefined if the item or a member is undefined."""

    item: Expr
    members: tuple[Expr, ...]


@record
class InRange(Expr):
    """low <= item <= high, strict."""

    item: Expr
    low: Expr
    high: Expr


@record
class InSet(Expr):
    """Membership in a set- or list-valued expression."""

    item: Expr
    collection: Expr


@record
class InColumn(Expr):
    """Membership among `value` over rows: true if one equals; else undefined if the item or a value is undefined."""

    item: Expr
    rows: Rows
    value: Expr


@record
class Is(Expr):
    """A test that is always defined: `true` and `false` of a bool operand, `defined` and `undefined` of any."""

    operand: Expr
    state: Literal["true", "false", "defined", "undefined"]


@record
class Not(Expr):
    """Kleene."""

    operand: Expr


@record
class And(Expr):
    """Kleene; of at least one part."""

    parts: tuple[Expr, ...]


@record
class Or(Expr):
    """Kleene; of at least one part."""

    parts: tuple[Expr, ...]


@record
class Choose(Expr):
    """First match: the value of the first line whose condition is true, else `otherwise`. Conditions are proved
    defined; an undefined one makes the choice undefined."""

    lines: tuple[tuple[Expr, Expr], ...]  # (condition, value)
    otherwise: Expr


@record
class Default(Expr):
    """`operand`, or `value` where it is undefined (`if_undefined`)."""

    operand: Expr
    value: Expr


@record
class Quantified(Expr):
    """`all|some|no` rows have the condition; without one, `some` and `no` ask whether there are rows."""

    quantifier: Literal["all", "some", "no"]
    rows: Rows
    condition: Expr | None


@record
class Aggregate(Expr):
    """A library aggregate: `args` are evaluated per row of `rows`, `options` outside of it."""

    function: str
    rows: Rows
    args: tuple[Expr, ...]
    options: tuple[tuple[str, Expr], ...]


@record
class OneRow(Expr):
    """`only` (undefined if none, an error of the run if several), `first`, `last` in the order of the rows."""

    function: Literal["only", "first", "last"]
    rows: Rows


@record
class Call(Expr):
    """A library function on values."""

    function: str
    args: tuple[Expr, ...]
    options: tuple[tuple[str, Expr], ...]


@record
class Part(Expr):
    """A field of a struct result: `wilson(...).low`."""

    struct: Expr
    name: str


@record
class ListOf(Expr):
    """A list of values; undefined if one is."""

    items: tuple[Expr, ...]


@record
class Cast(Expr):
    """An `any` value read as `type`; another kind of value is an error of the run."""

    operand: Expr


@record
class Bound(Expr):
    """An output of a resampling interval: `low`, `high`, `kept` or `p`; `keys` as of an entry."""

    interval: str
    which: str
    keys: tuple[Expr, ...]


# --- rows -------------------------------------------------------------------------------------------------------


@record
class Match:
    """Keeps the rows whose `column` equals `value` (evaluated outside the rows). A reference column is compared by
    row identity, an undefined on either side does not match."""

    column: str
    value: Expr


@record
class Rows:
    """Rows of one table, opened under the name `var`.

    Applied in this order: the table's rows in its declared order; `earlier`/`latest`; `match`; `where`; `order`.
    `base` is the row before which (`earlier`), or at which (`latest`), the rows stand. `latest N`: exactly the N rows
    that end at `base`; where there are fewer, every aggregate over them is undefined. With `group` the rows are
    grouped (only as the body of a group table).
    """

    var: str
    table: str
    scope: Literal["all", "earlier", "latest"] = "all"
    latest: int = 0
    base: Expr | None = None
    match: tuple[Match, ...] = ()
    where: tuple[Expr, ...] = ()
    order: tuple[Expr, ...] = ()
    narrowed: tuple[str, ...] = ()  # for `check --explain`: which of `match` come from a reference


# --- declared things --------------------------------------------------------------------------------------------


@record
class Col:
    """A column of a table. `expr` (in the scope of the row variable `self`) for a derived one, else None.

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
    listed: tuple[tuple[Value, ...], ...] = ()  # in the order of columns
    labels: tuple[str, ...] = ()  # of listed rows: the key as written (`0.40`), for the names of entries
    unpivot: UnpivotPlan | None = None
    expect: tuple[Item, ...] = ()
    duplicates: str = ""  # the gate that judges them
    says: str = ""
    cites: tuple[str, ...] = ()
    span: Span | None = None

    def column(self, name: str) -> Col | None:
        """The column of this name, or None."""
        return next((column for column in self.columns if column.name == name), None)


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
    withheld: Expr | None = None  # when true, the item is undefined and marked
    forces: str = ""  # blockers
    fires_undefined: bool = True  # blockers
    words: tuple[str, ...] = ()  # verdicts: every word, in order
    cites: tuple[str, ...] = ()
    span: Span | None = None


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


@record
class Subject:
    """What is evaluated. `target`: `path.py:function`, or the folder of recorded rows. `gives`: the tables that it
    fills. `timeout` in seconds."""

    kind: Literal["python", "recorded"]
    target: str
    unit: str
    sees: tuple[str, ...]
    gives: tuple[str, ...]
    code: tuple[str, ...]
    timeout: Fraction | None
    concurrency: int
    cites: tuple[tuple[str, tuple[str, ...]], ...] = ()


@record
class Phase:
    """A phase and the splits that it reads for its use."""

    name: str
    reads: tuple[str, ...]
    use: str
    says: str = ""
    cites: tuple[str, ...] = ()


@record
class Freeze:
    """A frozen value: literal, or the digest of a file (`value` is then None)."""

    name: str
    type: Type
    value: Value
    file: str = ""
    cites: tuple[str, ...] = ()


@record
class Statement:
    """Words with an id or a role: steps, duties, limits, attestations, claims."""

    kind: str
    name: str
    says: str
    by: str = ""
    cites: tuple[str, ...] = ()


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
    """A change after registration: what, why, and which data had been seen."""

    name: str
    changes: tuple[str, ...]
    why: str
    seen: tuple[str, ...]
    at: str = ""


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
