"""The tree of one formula as it was written: names are still bare text, nothing has a type.

Every node carries its span in the spec's file. `parse` makes these trees, `elaborate` turns them into `core`.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from protoc_runtime.diagnostics import Span
from protoc_runtime.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal, TypeAlias

State: TypeAlias = 'Literal["true", "false", "defined", "undefined"]'


@record
class Tree:
    """Base of every node."""

    span: Span


def children(tree: Tree) -> list[Tree]:
    """The trees directly below, in the order in which they are written."""
    found: list[Tree] = []
    kind: Any = type(tree)
    for name in _holding(kind):
        value = getattr(tree, name)
        if type(value) is tuple:
            found += value
        elif value is not None:
            found.append(value)
    return found


def nodes(tree: Tree) -> list[Tree]:
    """A tree and everything below it, in the order in which it is written."""
    found = [tree]
    for child in children(tree):
        found += nodes(child)
    return found


@cache
def _holding(kind: Any) -> tuple[str, ...]:
    """The fields of a kind of node that can hold nodes."""
    declared: dict[str, str] = {}
    for base in reversed(kind.__mro__[:-1]):
        declared.update(base.__annotations__)
    return tuple([name for name in kind.__record_fields__ if not declared[name].startswith(_PLAIN)])


_PLAIN = ("Span", "str", "bool", "int", "Fraction", "State", "Literal[", "tuple[str,")  # how other fields are declared


@record
class Number(Tree):
    """`12`, `1_000`, `0.05`, `85%` (then `percent`); `text` is the literal as written."""

    value: Fraction
    text: str
    percent: bool = False


@record
class Quantity(Tree):
    """`250 ms`, `0.80 USD`; `value` is in the unit as written."""

    value: Fraction
    unit: str
    text: str


@record
class Date(Tree):
    """`2026-08-10` or `2026-08-10T09:00Z`; `text` as written."""

    text: str


@record
class String(Tree):
    """`"text"`."""

    value: str


@record
class Constant(Tree):
    """`true`, `false`, `undefined`."""

    state: State


@record
class Name(Tree):
    """A bare name."""

    text: str


@record
class Field(Tree):
    """`base.name`: a column, a record field, a key (`accuracy.V2`), a rule id (`gates.P2.1`)."""

    base: Expr
    name: str


@record
class Option(Tree):
    """`level = 95%` among arguments."""

    name: str
    value: Expr


@record
class Call(Tree):
    """`f(x, y, option = e)`; `rows` is what stands behind `over`, and then `options` are what follows the rows."""

    name: str
    args: tuple[Expr, ...]
    rows: Expr | None
    options: tuple[Option, ...]


@record
class ListOf(Tree):
    """`[a, b]`."""

    items: tuple[Expr, ...]


@record
class Paren(Tree):
    """`(e)`: kept, because `(name)` at the head of a line is a value and `name` a word."""

    inner: Expr


@record
class Negative(Tree):
    """`-e`."""

    operand: Expr


@record
class Power(Tree):
    """`base ^ N`."""

    base: Expr
    exponent: Number


@record
class Arithmetic(Tree):
    """`left + right`, `-`, `*`, `/`."""

    op: Literal["+", "-", "*", "/"]
    left: Expr
    right: Expr


@record
class Chain(Tree):
    """`a < b <= c`: operands one more than ops (`==`, `!=`, `<`, `<=`, `>`, `>=`)."""

    operands: tuple[Expr, ...]
    ops: tuple[str, ...]


@record
class Range(Tree):
    """`a..b`, both ends included; only behind `in`."""

    low: Expr
    high: Expr


@record
class In(Tree):
    """`item in collection`, `item not in collection`; the collection is a ListOf, a Range, or another expression."""

    item: Expr
    collection: Expr
    negated: bool


@record
class Is(Tree):
    """`e is true`, `e is not defined`, ..."""

    operand: Expr
    state: State
    negated: bool


@record
class Not(Tree):
    """`not e`."""

    operand: Expr


@record
class And(Tree):
    """`a and b and c`."""

    parts: tuple[Expr, ...]


@record
class Or(Tree):
    """`a or b or c`."""

    parts: tuple[Expr, ...]


@record
class Quantified(Tree):
    """`all|some|no ROWS [have CONDITION]`."""

    quantifier: Literal["all", "some", "no"]
    rows: Expr
    condition: Expr | None


@record
class Where(Tree):
    """`where CONDITION`."""

    condition: Expr


@record
class Matching(Tree):
    """`matching a and b`."""

    columns: tuple[Name, ...]


@record
class Ordered(Tree):
    """`ordered by e then e`."""

    keys: tuple[Expr, ...]


@record
class Grouped(Tree):
    """`grouped by a and b`."""

    columns: tuple[Name, ...]


@record
class Table(Tree):
    """`[entire|earlier|latest N] SOURCE [as ALIAS] FILTER*`; at least one of these parts is present."""

    source: Expr
    prefix: Literal["entire", "earlier", "latest"] | None
    latest: int | None
    alias: Name | None
    filters: tuple[Where | Matching | Ordered | Grouped, ...]


@record
class Combined(Tree):
    """`cross of A and B`, `stack of A and B`."""

    kind: Literal["cross", "stack"]
    tables: tuple[Name, ...]


@record
class Line(Tree):
    """One line of a first-match list; `condition` is None for `otherwise`."""

    value: Expr
    condition: Expr | None


Expr = (
    Number
    | Quantity
    | Date
    | String
    | Constant
    | Name
    | Field
    | Call
    | ListOf
    | Paren
    | Negative
    | Power
    | Arithmetic
    | Chain
    | Range
    | In
    | Is
    | Not
    | And
    | Or
    | Quantified
    | Table
    | Combined
)
