"""Which of two values of the same rows is never the lesser one, since more of the rows meet what is counted: a share at
20 is never below the share at 10.

Only what is defined wherever the other is counts. The rows that are divided by must be the same: of more rows a share
may fall. Sound and not complete.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from protoc_compiler import core
from protoc_compiler.drift.forms import Form, TooLarge, all_of
from protoc_compiler.drift.ranges import Range
from protoc_compiler.drift.sums import never_above

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_OF_VALUES = ("mean", "median", "sum", "min", "max", "quantile", "p95")  # each rises with any of its values
_FROM_ROWS = ("input", "listed", "subject", "observed")  # not what people judge, who may leave a row out
_DEEP = 6


class Rising:
    """Compares values. `implies`: whether one condition is true wherever another is; `defined`: whether a value is
    defined on all rows."""

    def __init__(
        self, implies: Callable[[Form, Form], bool], defined: Callable[[Form], bool],
        range_of: Callable[[tuple[Form, ...]], Range], depth: int = _DEEP,
    ) -> None:  # fmt: skip
        self._implies, self._defined, self._range_of, self._depth = implies, defined, range_of, depth

    def moves(self, known: Form, other: Form, up: bool) -> bool:
        """Whether the other value is defined wherever the known one is, and then not below it (`up`), or not above."""
        if known[0] != "aggregate" or known[:2] != other[:2] or known[4] != other[4] or not self._depth:
            return False
        _, function, rows, inside, _ = known
        if function == "count" and not inside and not other[3]:
            return rows[:-2] == other[2][:-2] and self._of_filters(rows[-2], other[2][-2], up=up)
        if rows != other[2] or len(inside) != 1 or len(other[3]) != 1:
            return False
        if function == "rate":
            return self._true_of_more(inside[0], other[3][0], up=up) and self._defined(other[3][0])
        return function in _OF_VALUES and self._of_values(inside[0], other[3][0], up=up)

    def _true_of_more(self, known: Form, other: Form, *, up: bool) -> bool:
        return self._implies(known, other) if up else self._implies(other, known)

    def _of_filters(self, known: tuple[Form, ...], other: tuple[Form, ...], *, up: bool) -> bool:
        if not all(test in known or self._defined(test) for test in other):
            return False
        return self._true_of_more(all_of(known), all_of(other), up=up)

    def _of_values(self, known: Form, other: Form, *, up: bool) -> bool:
        below = Rising(self._implies, self._defined, self._range_of, self._depth - 1)
        return never_above(known, other, self._range_of, below.moves, known_is_least=up)


class Defined:
    """Tells of values whether they are defined on every row that a protocol takes."""

    def __init__(self, tables: dict[str, Any], form_of: Callable[[Any, Form], Form]) -> None:
        self._tables, self._form_of = tables, form_of

    def __call__(self, form: Form, depth: int = _DEEP) -> bool:
        """False means that it is not known."""
        return depth > 0 and self._always(form, depth - 1)

    def _always(self, form: Form, depth: int) -> bool:
        match form:
            case ("const", kind, *_):
                return bool(kind != "undefined")
            case ("row", *_) | ("is", *_):
                return True
            case ("column", row, name):
                return self._column(row, name, depth)
            case ("Default", _, value):
                return self(value, depth)
            case ("not", inner):
                return self(inner, depth)
            case ("and" | "or", *parts):
                return all(self(part, depth) for part in parts)
            case ("cmp", _, left, right):
                return self(left, depth) and self(right, depth)
            case ("sum", terms):
                return all(self(atom, depth) for product, _ in terms for atom in product)
            case ("some", rows, condition):
                return self._rows(rows, depth) and self(condition, depth)
            case ("aggregate", "count", rows, (), ()):
                return self._rows(rows, depth)
        return False

    def _rows(self, rows: Form, depth: int) -> bool:
        """Whether it is known which rows are meant, of whole tables."""
        _, table, scope, latest, base, match, tests, _ = rows
        plain = isinstance(table, str) and scope == "all" and not latest and base == ("none",)
        return plain and all(self(one, depth) for one in (*(value for _, value in match), *tests))

    def _column(self, row: Form, name: Any, depth: int) -> bool:
        table = self._tables.get(self._root(row)) if self(row, depth) else None
        column = table.column(name) if table is not None else None
        if column is None or table is None or table.kind not in ("input", "listed"):
            return False
        if column.expr is None:
            return bool(not column.optional and column.origin in _FROM_ROWS)
        try:
            return self(self._form_of(column.expr, row), depth)
        except TooLarge:
            return False

    def _root(self, row: Form) -> str:
        return root_of(self._tables, row)


def root_of(tables: Mapping[str, core.Table], row: Form) -> str:
    """The table of a row; "" where that is not known."""
    if row[0] == "row":
        return str(row[2])
    if row[0] != "column":
        return ""
    table = tables.get(root_of(tables, row[1]))
    column = table.column(row[2]) if table is not None else None
    return column.type.table if column is not None and column.type.kind == "row" else ""


def kind_of(side: core.Protocol, form: Form) -> str:
    """The kind of a value in a protocol; "" where that is not known."""
    match form:
        case ("column", row, name):
            tables = {table.name: table for table in side.tables}
            table = tables.get(root_of(tables, row))
            column = table.column(name) if table is not None else None
            return column.type.kind if column is not None else ""
        case ("value" | "entry", space, name, *_):
            return next((item.type.kind for item in side.items if (item.space, item.name) == (space, name)), "")
        case ("aggregate", "count" | "distinct", *_):
            return "int"
        case ("aggregate", "rate", *_):
            return "number"
    return ""
