"""Closed formulas on rows: what is needed to make rows that have a wanted property.

Only the plain parts of the language are here. What a witness says is decided by the compiled protocols, not by this.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from protoc_compiler import core
from protoc_compiler.proof.closing import Grouping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Beyond(Exception):
    """A part of the language that is not computed here."""


class Row:
    """A row that is being made: cells by column; a reference holds the other row. `error`: a perfect system would not
    have it."""

    __slots__ = ("cells", "error", "number", "table")
    _made = 0

    def __init__(self, table: str, cells: dict[str, Any]) -> None:
        self.table = table
        self.cells = cells
        self.error = False
        Row._made += 1
        self.number = Row._made  # rows are sorted in the order in which they were made


Tables = dict[str, list[Row]]


class Rows:
    """Tables of rows, and what groups of them there are."""

    def __init__(self, declared: Mapping[str, core.Table], groupings: Mapping[str, Grouping]) -> None:
        self.declared = declared
        self.groupings = groupings
        self.tables: Tables = {}
        self.looked = 0  # rows that formulas have looked at: what it all costs

    def of(self, name: str) -> list[Row]:
        """The rows of a table in its order."""
        if name in self.groupings:
            return self._groups(name)
        plain = name.partition("#")[0]
        rows = self.tables.get(name, self.tables.get(plain, []))
        table = self.declared.get(plain)
        order = table.order if table is not None else ()
        if order and order != ("file",):
            return sorted(rows, key=lambda row: [_sortable(row.cells.get(column)) for column in order])
        return rows

    def _groups(self, name: str) -> list[Row]:
        grouping = self.groupings[name]
        seen: dict[tuple[Any, ...], Row] = {}
        for row in self.of(grouping.root):
            if all(self.value(test, {"self": row}) is True for test in grouping.where):
                key = tuple(row.cells.get(column) for column in grouping.columns)
                seen.setdefault(key, Row(name, dict(zip(grouping.columns, key, strict=True))))
        return list(seen.values())

    def value(self, expr: core.Expr, env: Mapping[str, Row | None]) -> Any:
        """The value of a formula; None is undefined. Raises `Beyond`."""
        kind = type(expr)
        name = _METHODS.get(kind)
        if name is None:
            name = _METHODS[kind] = f"_{kind.__name__.lower()}"
        made = getattr(self, name, None)
        if made is None:
            raise Beyond
        return made(expr, env)

    def _const(self, expr: core.Const, env: Mapping[str, Row | None]) -> Any:
        return Fraction(expr.value) if type(expr.value) is int else expr.value

    def _rowvar(self, expr: core.RowVar, env: Mapping[str, Row | None]) -> Any:
        return env[expr.var]

    def _column(self, expr: core.Column, env: Mapping[str, Row | None]) -> Any:
        row = self.value(expr.row, env)
        return None if row is None else row.cells.get(expr.name)

    def _negative(self, expr: core.Negative, env: Mapping[str, Row | None]) -> Any:
        value = self.value(expr.operand, env)
        return None if value is None else -value

    def _arithmetic(self, expr: core.Arithmetic, env: Mapping[str, Row | None]) -> Any:
        a, b = self.value(expr.left, env), self.value(expr.right, env)
        if a is None or b is None or (expr.op == "/" and b == 0):
            return None
        if expr.op == "^":
            return a ** int(b)
        return a + b if expr.op == "+" else a - b if expr.op == "-" else a * b if expr.op == "*" else a / b

    def _compare(self, expr: core.Compare, env: Mapping[str, Row | None]) -> Any:
        values = [self.value(part, env) for part in expr.operands]
        if any(value is None for value in values):
            return None
        pairs = zip(values, expr.ops, values[1:], strict=False)
        return all(_compared(a, op, b) for a, op, b in pairs)

    def _inlist(self, expr: core.InList, env: Mapping[str, Row | None]) -> Any:
        return _member(self.value(expr.item, env), [self.value(part, env) for part in expr.members])

    def _inrange(self, expr: core.InRange, env: Mapping[str, Row | None]) -> Any:
        low, item, high = (self.value(part, env) for part in (expr.low, expr.item, expr.high))
        return None if low is None or item is None or high is None else low <= item <= high

    def _inset(self, expr: core.InSet, env: Mapping[str, Row | None]) -> Any:
        item, inside = self.value(expr.item, env), self.value(expr.collection, env)
        return None if item is None or inside is None else item in inside

    def _incolumn(self, expr: core.InColumn, env: Mapping[str, Row | None]) -> Any:
        rows = self._opened(expr.rows, env)
        return _member(self.value(expr.item, env), [self.value(expr.value, inside) for inside in rows])

    def _is(self, expr: core.Is, env: Mapping[str, Row | None]) -> Any:
        value = self.value(expr.operand, env)
        states = {"true": value is True, "false": value is False, "defined": value is not None}
        return states.get(expr.state, value is None)

    def _not(self, expr: core.Not, env: Mapping[str, Row | None]) -> Any:
        value = self.value(expr.operand, env)
        return None if value is None else not value

    def _and(self, expr: core.And, env: Mapping[str, Row | None]) -> Any:
        values = [self.value(part, env) for part in expr.parts]
        return False if False in values else None if None in values else True

    def _or(self, expr: core.Or, env: Mapping[str, Row | None]) -> Any:
        values = [self.value(part, env) for part in expr.parts]
        return True if True in values else None if None in values else False

    def _choose(self, expr: core.Choose, env: Mapping[str, Row | None]) -> Any:
        for test, given in expr.lines:
            held = self.value(test, env)
            if held is None:
                return None
            if held:
                return self.value(given, env)
        return self.value(expr.otherwise, env)

    def _default(self, expr: core.Default, env: Mapping[str, Row | None]) -> Any:
        value = self.value(expr.operand, env)
        return self.value(expr.value, env) if value is None else value

    def _quantified(self, expr: core.Quantified, env: Mapping[str, Row | None]) -> Any:
        assert expr.condition is not None
        values = [self.value(expr.condition, inside) for inside in self._opened(expr.rows, env)]
        if expr.quantifier == "all":
            return None if not values else False if False in values else None if None in values else True
        found = True if True in values else None if None in values else False
        return found if expr.quantifier == "some" or found is None else not found

    def _opened(self, rows: core.Rows, env: Mapping[str, Row | None]) -> list[dict[str, Row | None]]:
        if rows.scope != "all":
            raise Beyond
        wanted = [(match.column, self.value(match.value, env)) for match in rows.match]
        made = []
        every = self.of(rows.table)
        self.looked += len(every)
        for row in every:
            if all(value is not None and row.cells.get(column) == value for column, value in wanted):
                inside = {**env, rows.var: row}
                if all(self.value(test, inside) is True for test in rows.where):
                    made.append(inside)
        if rows.order:
            made.sort(key=lambda inside: [_sortable(self.value(key, inside)) for key in rows.order])
        return made

    def _onerow(self, expr: core.OneRow, env: Mapping[str, Row | None]) -> Any:
        found = [inside[expr.rows.var] for inside in self._opened(expr.rows, env)]
        if not found or (expr.function == "only" and len(found) > 1):
            return None
        return found[-1] if expr.function == "last" else found[0]

    def _aggregate(self, expr: core.Aggregate, env: Mapping[str, Row | None]) -> Any:
        rows = self._opened(expr.rows, env)
        if expr.function == "count":
            return Fraction(len(rows))
        if len(expr.args) != 1 or expr.options:
            raise Beyond
        values = [self.value(expr.args[0], inside) for inside in rows]
        if None in values:
            return None
        return _aggregated(expr.function, values)

    def _call(self, expr: core.Call, env: Mapping[str, Row | None]) -> Any:
        if expr.function not in _CALLS or expr.options:
            raise Beyond
        values = [self.value(part, env) for part in expr.args]
        return None if None in values else _CALLS[expr.function](*values)


def _aggregated(function: str, values: list[Any]) -> Any:
    if function == "sum":
        return sum(values, Fraction(0))
    if function == "distinct":
        return Fraction(len(set(values)))
    if function not in ("rate", "mean", "median", "min", "max"):
        raise Beyond
    if not values:
        return None
    if function == "median":
        from statistics import median

        return median(values)
    if function in ("rate", "mean"):
        return Fraction(sum(values)) / len(values)
    return min(values) if function == "min" else max(values)


_METHODS: dict[type, str] = {}  # of the classes of formulas, by what the method for one is called
_CALLS: dict[str, Any] = {
    "min": min,
    "max": max,
    "abs": abs,
    "chars": lambda text: Fraction(len(text)),
    "indicator": lambda held: Fraction(int(held)),
    "size": lambda items: Fraction(len(items)),
    "floor": lambda value: Fraction(value.__floor__()),
}


def _compared(a: Any, op: str, b: Any) -> bool:
    if op in ("==", "!="):
        return bool((a == b) is (op == "=="))
    return bool(a < b if op == "<" else a <= b if op == "<=" else a > b if op == ">" else a >= b)


def _member(item: Any, members: list[Any]) -> bool | None:
    if item is None:
        return None
    return True if item in members else None if None in members else False


def _sortable(value: Any) -> tuple[int, Any]:
    if isinstance(value, Row):
        return (1, value.number)
    return (0, "") if value is None else (1, value)
