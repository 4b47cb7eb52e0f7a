"""Numbers of a closed formula as counts of rows: polynomials over symbols, and quotients of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from functools import lru_cache

from protoc_compiler import core
from protoc_compiler.core.tree import nodes
from protoc_compiler.proof import nodes as n
from protoc_compiler.proof.closing import canonical, key_of
from protoc_compiler.proof.features import Features
from protoc_compiler.proof.space import Number, Space, Symbol, Within

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Unsupported(Exception):
    """A condition about a group that its counts do not tell."""


class Counting(ABC):
    """What can be said as counts; the conditions of the rows that are counted are left to who inherits."""

    def __init__(self, space: Space) -> None:
        self.space = space
        self.nodes = space.nodes

    @abstractmethod
    def condition(self, value: core.Expr, within: Within | None = None) -> int:
        """The node of a condition; about a group that its counts do not tell, Unsupported is raised."""

    def number(self, value: core.Expr, within: Within | None) -> Number | None:
        """A number as a quotient of counts; None where it is something else."""
        match value:
            case core.Const(value=int() | Fraction()) if not isinstance(value.value, bool):
                known: Any = value.value
                return _number(n.constant(Fraction(known)))
            case core.Negative():
                inner = self.number(value.operand, within)
                return (
                    None
                    if inner is None
                    else _number(n.times(n.constant(-1), dict(inner.above)), inner.below, inner.defined)
                )
            case core.Aggregate():
                return self._aggregate(value, within)
            case core.Arithmetic():
                return self._arithmetic(value, within)
        return None

    def _aggregate(self, value: core.Aggregate, within: Within | None) -> Number | None:
        if value.function == "count":
            if value.rows.table in self.space.groupings and within is None:
                return self._count_groups(value.rows)
            made = self.count(value.rows, within)
            return None if made is None else _number(made)
        if value.function == "distinct" and within is None:
            return self._distinct(value)
        if value.function in ("rate", "mean", "sum") and len(value.args) == 1:
            test = value.args[0]
            if value.function != "rate":
                if not (isinstance(test, core.Call) and test.function == "indicator"):
                    return None
                test = test.args[0]
            return self._rate(value, test, within)
        return None

    def _distinct(self, value: core.Aggregate) -> Number | None:
        """How many groups there are, where a table has them."""
        rows, column = value.rows, value.args[0]
        if not isinstance(column, core.Column) or rows.where or rows.match or rows.scope != "all":
            return None
        name = f"{rows.table} by {column.name}"
        if column.row != core.RowVar(column.row.type, rows.var) or name not in self.space.groupings:
            return None
        return _number({(self.space.symbol(Symbol(rows.table, name, None, self.nodes.true)),): Fraction(1)})

    def _rate(self, value: core.Aggregate, test: core.Expr, within: Within | None) -> Number | None:
        hit = self.count(value.rows, within, core.Is(core.BOOL, test, "true"))
        every = self.count(value.rows, within)
        unsure = self.count(value.rows, within, core.Is(core.BOOL, test, "undefined"))
        if hit is None or every is None or unsure is None:
            return None
        sure = self.nodes.sign(unsure, "<=")
        if value.function == "sum":
            return _number(hit, None, (sure,))
        return _number(hit, every, (sure, self.nodes.negated(self.nodes.sign(every, "<="))))

    def _count_groups(self, rows: core.Rows) -> Number | None:
        if rows.match or rows.scope != "all":
            return None
        within = Within(rows.table, rows.var)
        try:
            kept = self.nodes.both(*[self.condition(test, within) for test in rows.where])
        except Unsupported:
            return None
        grouping = self.space.groupings[rows.table]
        return _number({(self.space.symbol(Symbol(grouping.root, rows.table, None, kept)),): Fraction(1)})

    def _arithmetic(self, value: core.Arithmetic, within: Within | None) -> Number | None:
        a, b = self.number(value.left, within), self.number(value.right, within)
        if a is None or b is None:
            return None
        above, below, other, divisor = dict(a.above), dict(a.below), dict(b.above), dict(b.below)
        defined = tuple(dict.fromkeys((*a.defined, *b.defined)))
        match value.op:
            case "+" | "-":
                sign = 1 if value.op == "+" else -1
                if below == divisor:
                    return _number(n.plus(above, other, sign), below, defined)
                return _number(
                    n.plus(n.times(above, divisor), n.times(other, below), sign), n.times(below, divisor), defined
                )
            case "*":
                return _number(n.times(above, other), n.times(below, divisor), defined)
            case "/":
                nonzero = self.nodes.negated(self.nodes.sign(other, "=="))
                return _number(n.times(above, divisor), n.times(below, other), (*defined, nonzero))
            case "^" if isinstance(value.right, core.Const) and isinstance(value.right.value, int):
                made = _number(n.constant(1), None, a.defined)
                for _ in range(min(value.right.value, 4)):
                    made = _number(n.times(dict(made.above), above), n.times(dict(made.below), below), a.defined)
                return made if value.right.value <= 4 else None
        return None

    # --- counts of rows ---------------------------------------------------------------------------------------

    def scope(self, rows: core.Rows, within: Within | None) -> str | None:
        """The scope of rows that can be counted: "" for all of a table, a grouping's name for those of a group."""
        table = self.space.tables.get(rows.table)
        if table is None or table.kind not in ("input", "nested") or table.record:
            return None
        if rows.scope != "all" or rows.base is not None:
            return None
        if not rows.match:
            return "" if within is None else None
        if within is None:
            return None
        grouping = self.space.groupings[within.grouping]
        keys = {match.column: match.value for match in rows.match}
        own = all(
            isinstance(value, core.Column)
            and value.name == column
            and value.row == core.RowVar(value.row.type, within.var)
            for column, value in keys.items()
        )
        same = grouping.root == rows.table and set(keys) == set(grouping.columns) and len(keys) == len(rows.match)
        return within.grouping if own and same else None

    def count(self, rows: core.Rows, within: Within | None, test: core.Expr | None = None) -> n.Terms | None:
        """How many of the rows there are (for which the test holds); None where that is no symbol."""
        scope = self.scope(rows, within)
        if scope is None:
            return None
        parts = [*rows.where, *([test] if test is not None else [])]
        if scope and self.space.groupings[scope].where:
            own = self.space.groupings[scope].where
            parts += [_renamed(part, rows.var) for part in own]
        whole = (
            core.And(core.BOOL, tuple(sorted(dict.fromkeys(parts), key=key_of)))
            if parts
            else core.Const(core.BOOL, True)
        )
        condition = canonical(whole, rows.var)
        if _reads_others(condition):
            return None
        features = self.space.features.setdefault(rows.table, Features(rows.table, self.space.tables))
        features.test(condition)  # its constants are known before cells are made
        return {(self.space.symbol(Symbol(rows.table, scope, condition)),): Fraction(1)}


def _number(above: n.Terms, below: Any = None, defined: tuple[int, ...] = ()) -> Number:
    divisor = n.constant(1) if below is None else dict(below)
    return Number(tuple(sorted(above.items())), tuple(sorted(divisor.items())), defined)


def _renamed(value: core.Expr, var: str) -> core.Expr:
    from protoc_compiler.decided import rename

    return rename(value, "self", var)


def _reads_others(condition: core.Expr) -> bool:
    """Whether a condition about a row reads a row that it does not open itself, beside that one."""
    return not free_rows(condition) <= {"self"}


@lru_cache(maxsize=1 << 12)
def free_rows(value: core.Expr | core.Rows | core.Match) -> frozenset[str]:
    """The variables of the rows that a formula reads and does not open itself."""
    if isinstance(value, core.RowVar):
        return frozenset((value.var,))
    found = frozenset[str]().union(*map(free_rows, nodes(value)))
    rows = value if isinstance(value, core.Rows) else getattr(value, "rows", None)
    return found - {rows.var} if isinstance(rows, core.Rows) else found
