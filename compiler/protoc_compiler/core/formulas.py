"""Typed formulas, and the rows that they read."""

from __future__ import annotations

from fractions import Fraction

from protoc_compiler.core.types import Type, Value
from protoc_runtime.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal


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
class Custom(Expr):
    """A function of the author's: `target` is `path.py:function`, `source` the text of that file. Outside of what is
    checked."""

    target: str
    source: str
    gives: str  # decimal, int, bool, text
    seconds: Fraction
    args: tuple[Expr, ...]


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
