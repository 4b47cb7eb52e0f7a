"""Whether a value can be undefined, and why: every filter and `when` must be proved defined.

`doubt` gives the first reason for which an expression may be undefined, or None when it is proved defined. The proof
uses types (a column without `?`), guards, earlier lines, subset tables, `if_undefined`, and tables that are listed or
expected not to be empty.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from protoc_compiler import core, library
from protoc_compiler.core import tree
from protoc_compiler.facts import Facts
from protoc_runtime.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Decider:
    """Proofs over one protocol; columns and items are judged once."""

    def __init__(self, protocol: core.Protocol) -> None:
        self.tables = {table.name: table for table in protocol.tables}
        self.items = {(item.space, item.name): item for item in protocol.items}
        self.frozen = {each.name: each.value for each in protocol.freeze}
        self._columns: dict[tuple[str, str], str | None] = {}
        self._items: dict[tuple[str, str], str | None] = {}
        self._expected = _expected(protocol)
        self._alone: dict[core.Expr, str | None] = {}  # the doubts of values of which nothing else is known

    # --- named things --------------------------------------------------------------------------------------

    def column(self, root: str, name: str) -> str | None:
        """Why a column may be undefined."""
        key = (root, name)
        if key not in self._columns:
            self._columns[key] = f"`{name}`"
            table = self.tables[root]
            column = table.column(name)
            if column is None:
                self._columns[key] = f"`{root}` has no `{name}`"
            elif column.expr is not None:
                self._columns[key] = self.doubt(column.expr, Facts())
            else:
                optional = column.optional and column.origin != "metric"
                self._columns[key] = f"`{root}.{name}` may be missing" if optional else None
        return self._columns[key]

    def item(self, space: str, name: str) -> str | None:
        """Why a named value may be undefined."""
        key = (space, name)
        if key not in self._items:
            self._items[key] = f"`{name}`"
            item = self.items.get(key)
            if item is None:
                self._items[key] = f"`{name}` is unknown"
            elif item.withheld is not None:
                self._items[key] = f"`{name}` may be withheld"
            else:
                reason = self.doubt(item.expr, Facts())
                self._items[key] = f"`{name}` ({reason})" if reason and "`" not in reason[:1] else reason
        return self._items[key]

    # --- expressions ---------------------------------------------------------------------------------------

    def doubt(self, value: core.Expr, facts: Facts) -> str | None:
        """Why this may be undefined here, or None."""
        reason = self._doubt_alone(value)
        if reason is None or facts.none:  # more facts never make a doubt: what is sure by itself needs none
            return reason
        if facts.knows(value):
            return None
        return _RULES.get(type(value), _all_parts)(self, value, facts)

    def _doubt_alone(self, value: core.Expr) -> str | None:
        rule = _RULES.get(type(value), _all_parts)
        if type(value) in _QUICK:
            return rule(self, value, _UNAIDED)
        if value not in self._alone:
            self._alone[value] = rule(self, value, _UNAIDED)
        return self._alone[value]

    def first(self, values: Sequence[core.Expr], facts: Facts) -> str | None:
        """The first doubt among several values."""
        for value in values:
            reason = self.doubt(value, facts)
            if reason:
                return reason
        return None

    def inside(self, rows: core.Rows, facts: Facts) -> Facts:
        """What is known of a row of these rows."""
        known = facts.true(*rows.where)
        if self.tables[rows.table].kind in ("subset", "sample"):
            return known.later(lambda: self._chosen(rows))
        return known

    def _chosen(self, rows: core.Rows) -> list[core.Expr]:
        """The conditions by which the rows of a subset were chosen."""
        holds: list[core.Expr] = []
        table = self.tables[rows.table]
        while table.kind in ("subset", "sample") and table.rows is not None:
            old, new = table.rows.var, rows.var
            holds += [rename(test, old, new) for test in table.rows.where]
            table = self.tables[table.rows.table]
        return holds

    def unknown(self, rows: core.Rows, facts: Facts) -> str | None:
        """Why it may be undefined which rows these are: `earlier T` or `latest N T` of too few rows, or of a row
        without a place in an order that T has of its own. Filters have a proof of their own."""
        if rows.scope == "latest":
            return f"there may be fewer than {rows.latest} rows"
        table = self.tables[rows.table]
        while rows.scope == "earlier" and table.kind in ("subset", "sample") and table.rows is not None:
            if table.rows.order:
                reason = self.first(table.rows.order, Facts())
                return f"a row may have no place in the order of `{rows.table}`: {reason}" if reason else None
            table = self.tables[table.rows.table]
        return None

    def empty(self, rows: core.Rows) -> str | None:
        """Why there may be no rows, or None when that is ruled out."""
        table = self.tables[rows.table]
        free = not (rows.match or rows.where) and rows.scope == "all"
        if free and ((table.kind == "listed" and table.listed) or rows.table in self._expected):
            return None
        return f"there may be no row of `{rows.table}`"


_UNAIDED = Facts()
_KEPT: deque[tuple[core.Protocol, Decider]] = deque(maxlen=2)


def decider_of(protocol: core.Protocol) -> Decider:
    """The proofs over a protocol, which several passes ask for; what one of them has proved is not proved again."""
    for known, kept in _KEPT:
        if known is protocol:
            return kept
    made = Decider(protocol)
    _KEPT.append((protocol, made))
    return made


def rename(value: core.Expr, old: str, new: str) -> core.Expr:
    """The same expression about another row variable."""
    made: core.Expr = tree.about(value, lambda row: replace(row, var=new) if row.var == old else row)
    return made


def _expected(protocol: core.Protocol) -> set[str]:
    """Tables that are expected to have rows: `count(T) == 20`, `count(T) >= 1`."""
    found = set()
    for table in protocol.tables:
        for item in table.expect:
            test = item.expr
            if isinstance(test, core.Compare) and len(test.ops) == 1 and test.ops[0] in ("==", ">=", ">"):
                left, right = test.operands
                counts = isinstance(left, core.Aggregate) and left.function == "count"
                some = isinstance(right, core.Const) and isinstance(right.value, int) and right.value >= 1
                if counts and some and isinstance(left, core.Aggregate) and not (left.rows.where or left.rows.match):
                    found.add(left.rows.table)
    return found


# --- one rule per node --------------------------------------------------------------------------------------------


def _all_parts(decider: Decider, value: core.Expr, facts: Facts) -> str | None:
    return decider.first([part for part in tree.nodes(value) if isinstance(part, core.Expr)], facts)


def _const(_: Decider, value: core.Const, __: Facts) -> str | None:
    return "it can be `undefined`" if value.value is None else None


def _column(decider: Decider, value: core.Column, facts: Facts) -> str | None:
    reason = decider.doubt(value.row, facts)
    if reason:
        return reason
    table = decider.tables[value.row.type.table]
    column = table.column(value.name)
    if column is not None and column.expr is not None:
        reason = decider.column(table.name, value.name)
        if reason is None:
            return None
        return decider.doubt(_self(column.expr, value.row), facts)
    return decider.column(table.name, value.name)


def _self(value: core.Expr, row: core.Expr) -> core.Expr:
    """A column's formula about a given row: facts about that row then count as proof."""
    made: core.Expr = tree.about(value, lambda var: row if var.var == "self" else var)
    return made


def _global(decider: Decider, value: core.Global, _: Facts) -> str | None:
    return None if value.space == "freeze" else decider.item(value.space, value.name)


def _entry(decider: Decider, value: core.Entry, facts: Facts) -> str | None:
    return decider.first(value.keys, facts) or decider.item(value.space, value.name)


def _arithmetic(decider: Decider, value: core.Arithmetic, facts: Facts) -> str | None:
    reason = decider.first((value.left, value.right), facts)
    if reason or value.op != "/":
        return reason
    divisor = value.right
    if isinstance(divisor, core.Const):
        return "a division by 0" if divisor.value == 0 else None
    return None if facts.nonzero(divisor) else "a divisor may be 0"


def _is(_: Decider, __: core.Expr, ___: Facts) -> str | None:
    return None


def _and(decider: Decider, value: core.And, facts: Facts) -> str | None:
    return _kleene(decider, value.parts, facts, holds=True)


def _or(decider: Decider, value: core.Or, facts: Facts) -> str | None:
    return _kleene(decider, value.parts, facts, holds=False)


def _kleene(decider: Decider, parts: tuple[core.Expr, ...], facts: Facts, *, holds: bool) -> str | None:
    """A conjunction is decided if each doubtful part is proved defined where the sure parts hold (a disjunction:
    where they do not hold); parts proved so become sure themselves."""
    sure: list[core.Expr] = []
    waiting = list(parts)
    while waiting:
        known = facts.true(*sure) if holds else facts.false(*sure)
        doubtful: list[core.Expr] = []
        proved: list[core.Expr] = []
        for part in waiting:
            (proved if decider.doubt(part, known) is None else doubtful).append(part)
        if not proved:
            return decider.doubt(waiting[0], known)
        sure += proved
        waiting = doubtful
    return None


def _choose(decider: Decider, value: core.Choose, facts: Facts) -> str | None:
    known = facts
    for test, given in value.lines:
        reason = decider.doubt(test, known) or decider.doubt(given, known.true(test))
        if reason:
            return reason
        known = known.false(test)
    return decider.doubt(value.otherwise, known)


def _default(decider: Decider, value: core.Default, facts: Facts) -> str | None:
    return decider.doubt(value.value, facts) and decider.doubt(value.operand, facts)


def _quantified(decider: Decider, value: core.Quantified, facts: Facts) -> str | None:
    reason = decider.unknown(value.rows, facts)
    if reason:
        return reason
    if value.condition is not None:
        reason = decider.doubt(value.condition, decider.inside(value.rows, facts))
        if reason:
            return reason
    return decider.empty(value.rows) if value.quantifier == "all" else None


def _aggregate(decider: Decider, value: core.Aggregate, facts: Facts) -> str | None:
    reason = decider.unknown(value.rows, facts)
    if reason:
        return reason
    forms = library.forms(value.function)
    signature = forms.get("over") if value.args else forms.get("rows")
    if signature is None or not signature.total:
        return f"`{value.function}` may be undefined"
    reason = decider.first(value.args, decider.inside(value.rows, facts))
    if reason is None and signature.empty == "undefined" and signature.name != "digest":
        reason = decider.empty(value.rows)
    return reason or decider.first(tuple(option for _, option in value.options), facts)


def _one_row(decider: Decider, value: core.OneRow, _: Facts) -> str | None:
    table = decider.tables[value.rows.table]
    if table.record and value.function == "only" and not (value.rows.where or value.rows.match):
        return None
    if value.function == "only":
        if _by_listed_key(table, value.rows) or _is_expected(decider, value.rows):
            return None
        return f"there may be no such row of `{table.name}`"
    return decider.empty(value.rows)


def _by_listed_key(table: core.Table, rows: core.Rows) -> bool:
    if table.kind != "listed" or len(rows.where) != 1 or rows.match:
        return False
    test = rows.where[0]
    return isinstance(test, core.Compare) and isinstance(test.operands[-1], core.Const)


def _is_expected(decider: Decider, rows: core.Rows) -> bool:
    for item in decider.tables[rows.table].expect:
        test = item.expr
        if isinstance(test, core.Compare) and test.ops == ("==",):
            left, right = test.operands
            one = isinstance(right, core.Const) and right.value == 1
            if one and isinstance(left, core.Aggregate) and left.function == "count" and not rows.match:
                where = tuple(rename(part, left.rows.var, rows.var) for part in left.rows.where)
                if left.rows.table == rows.table and where == rows.where and not left.rows.match:
                    return True
    return False


def _call(decider: Decider, value: core.Call, facts: Facts) -> str | None:
    reason = decider.first((*value.args, *(option for _, option in value.options)), facts)
    signature = library.forms(value.function).get("value")
    if reason or (signature is not None and signature.total):
        return reason
    return f"`{value.function}` may be undefined"


def _in_column(decider: Decider, value: core.InColumn, facts: Facts) -> str | None:
    reason = decider.unknown(value.rows, facts) or decider.doubt(value.item, facts)
    return reason or decider.doubt(value.value, decider.inside(value.rows, facts))


def _custom(_: Decider, value: core.Custom, __: Facts) -> str | None:
    return f"the function `{value.target}` may give no value"


def _bound(_: Decider, value: core.Bound, __: Facts) -> str | None:
    return f"the interval `{value.interval}` may be undefined"


_RULES: dict[type, Callable[[Decider, Any, Facts], str | None]] = {
    core.Const: _const,
    core.RowVar: _is,
    core.Column: _column,
    core.Global: _global,
    core.Entry: _entry,
    core.Arithmetic: _arithmetic,
    core.Is: _is,
    core.And: _and,
    core.Or: _or,
    core.Choose: _choose,
    core.Default: _default,
    core.Quantified: _quantified,
    core.Aggregate: _aggregate,
    core.OneRow: _one_row,
    core.Call: _call,
    core.InColumn: _in_column,
    core.Bound: _bound,
    core.Custom: _custom,
}
_QUICK = (core.RowVar, core.Const, core.Global, core.Is)  # to find them among what is known would take longer
