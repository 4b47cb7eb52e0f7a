"""The range in which a number must lie, whatever the data are."""

from __future__ import annotations

from fractions import Fraction

from protoc_compiler import core
from protoc_compiler.analysis.walk import resolved

Bounds = tuple[Fraction | None, Fraction | None]
_SHARES = {"rate", "auc"}
_COUNTS = {"count", "distinct", "longest_run", "chars", "occurrences", "size"}
_UNKNOWN: Bounds = (None, None)


def bounds(protocol: core.Protocol, value: core.Expr, depth: int = 12) -> Bounds:
    """(least, greatest), None where there is no bound."""
    value = resolved(protocol, value)
    if depth == 0:
        return _UNKNOWN
    match value:
        case core.Const(value=int() | Fraction()) if not isinstance(value.value, bool):
            number = Fraction(value.value)  # type: ignore[arg-type]
            return number, number
        case core.Aggregate() | core.Call():
            return _of_function(protocol, value, depth)
        case core.Part(struct=core.Aggregate(function="mcnemar"), name="p"):
            return Fraction(0), Fraction(1)
        case core.Arithmetic():
            return _of_arithmetic(protocol, value, depth)
        case core.Default():
            return _hull([bounds(protocol, part, depth - 1) for part in (value.operand, value.value)])
        case core.Choose():
            given = [given for _, given in value.lines] + [value.otherwise]
            known = [bounds(protocol, part, depth - 1) for part in given if not _undefined(part)]
            return _hull(known) if known else _UNKNOWN
    return _UNKNOWN


def ranged(protocol: core.Protocol, value: core.Expr) -> Bounds:
    """The same, and of a listed column the range of its numbers."""
    listed = _cells(protocol, value) if isinstance(value, core.Column) else None
    return bounds(protocol, value) if listed is None else listed


def _cells(protocol: core.Protocol, value: core.Column) -> Bounds | None:
    table = next((table for table in protocol.tables if table.name == value.row.type.table), None)
    names = [column.name for column in table.columns if column.origin == "listed"] if table is not None else []
    if table is None or table.kind != "listed" or value.name not in names or value.type.kind == "quantity":
        return None
    place = [column.name for column in table.columns].index(value.name)
    cells = [row[place] for row in table.listed if row[place] is not None]
    numbers = [Fraction(cell) for cell in cells if isinstance(cell, (int, Fraction)) and not isinstance(cell, bool)]
    return (min(numbers), max(numbers)) if numbers and len(numbers) == len(cells) else None


def _undefined(value: core.Expr) -> bool:
    return isinstance(value, core.Const) and value.value is None


def _of_function(protocol: core.Protocol, value: core.Aggregate | core.Call, depth: int) -> Bounds:
    if value.function in _SHARES or value.function == "indicator":
        return Fraction(0), Fraction(1)
    if value.function == "count" and isinstance(value, core.Aggregate):
        return Fraction(0), _most(protocol, value.rows)
    if value.function in _COUNTS or value.function in ("variance", "max_drawdown", "abs"):
        return Fraction(0), None
    if value.function in ("mean", "min", "max", "median", "quantile", "p95") and len(value.args) == 1:
        return bounds(protocol, value.args[0], depth - 1)
    return _UNKNOWN


def _most(protocol: core.Protocol, rows: core.Rows) -> Fraction | None:
    """The number of rows of a listed table."""
    tables = {table.name: table for table in protocol.tables}
    root = tables.get(tables[rows.table].root) if rows.table in tables else None
    return Fraction(len(root.listed)) if root is not None and root.kind == "listed" else None


def _of_arithmetic(protocol: core.Protocol, value: core.Arithmetic, depth: int) -> Bounds:
    low, high = bounds(protocol, value.left, depth - 1)
    other_low, other_high = bounds(protocol, value.right, depth - 1)
    if value.op == "+":
        return _add(low, other_low), _add(high, other_high)
    if value.op == "-":
        return _add(low, _minus(other_high)), _add(high, _minus(other_low))
    if value.op == "*" and low is not None and low >= 0 and other_low is not None and other_low >= 0:
        top = high * other_high if high is not None and other_high is not None else None
        return low * other_low, top
    if value.op == "/" and low is not None and low >= 0 and other_low is not None and other_low >= 0:
        divided = other_low > 0 and other_low == other_high
        return (low / other_low if divided else Fraction(0)), (
            high / other_low if divided and high is not None else None
        )
    if value.op == "^" and isinstance(value.right, core.Const) and value.right.value == 2:
        return Fraction(0), None
    return _UNKNOWN


def _add(one: Fraction | None, other: Fraction | None) -> Fraction | None:
    return None if one is None or other is None else one + other


def _minus(value: Fraction | None) -> Fraction | None:
    return None if value is None else -value


def _hull(known: list[Bounds]) -> Bounds:
    lows, highs = [low for low, _ in known], [high for _, high in known]
    low = None if None in lows else min(value for value in lows if value is not None)
    high = None if None in highs else max(value for value in highs if value is not None)
    return low, high
