"""In which range the value of a form lies wherever it is defined: from what functions can give, from cells that stand
in the spec, and from what is expected of the rows.

Nothing is taken for granted: a duration in rows may be negative, until the protocol expects that none is.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from protoc_compiler import core
from protoc_compiler.drift.forms import UNDEFINED, Form, TooLarge, joined, negate
from protoc_compiler.drift.normal import Normal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

Range: TypeAlias = "tuple[Fraction | None, Fraction | None]"
ANY: Range = (None, None)
SHARE: Range = (Fraction(0), Fraction(1))
POSITIVE: Range = (Fraction(0), None)
_NOWHERE: Range = (Fraction(1), Fraction(0))  # of a value that is undefined
_SHARES = ("rate", "auc", "indicator")
_SIZES = ("count", "distinct", "longest_run", "chars", "occurrences", "size", "variance", "max_drawdown", "mad", "abs",
          "harmonic_mean")  # fmt: skip
_AMONG = ("mean", "min", "max", "median", "quantile", "p95")  # of values, one between the least and the greatest
_PARTS = {"p": SHARE, "more": POSITIVE, "less": POSITIVE, "ties": POSITIVE, "only_first": POSITIVE,
          "only_second": POSITIVE}  # fmt: skip
_TESTS = ("sign_test", "mcnemar")
_DEEP = 12


class Ranges:
    """The ranges of one protocol."""

    def __init__(self, protocol: core.Protocol) -> None:
        self._tables = {table.name: table for table in protocol.tables}
        subsets = [("table", table.name) for table in protocol.tables if table.kind == "subset"]
        self._normal = Normal(protocol, frozenset(subsets))
        self._items = {(item.space, item.name): item for item in protocol.items}
        self._known: dict[Form, Range] = {}
        self._conditions: dict[str, list[Form]] | None = None

    def of(self, form: Form, depth: int = _DEEP) -> Range:
        """The least and the greatest that a value can be, None where nothing is known."""
        if depth == 0:
            return ANY
        found = self._known.get(form)
        if found is None:
            try:
                found = self._of(form, depth)
            except TooLarge:
                found = ANY
            self._known[form] = found
        return found

    def _of(self, form: Form, depth: int) -> Range:
        match form:
            case ("const", "number" | "quantity", number):
                return number, number
            case ("aggregate" | "call", function, *_):
                return self._function(function, form[3] if form[0] == "aggregate" else form[2], depth)
            case ("taken", function, *_):  # of rows that stand in the spec
                return self._function(function, (), depth)
            case ("sum", terms):
                return self.sum(dict(terms), depth)
            case ("inverse", inner):
                low, _ = self.of(inner, depth - 1)
                return POSITIVE if low is not None and low >= 0 else ANY
            case ("Default", operand, value):
                return hull([self.of(operand, depth - 1), self.of(value, depth - 1)])
            case ("Part", ("aggregate", function, *_), name) if function in _TESTS:
                return _PARTS.get(name, ANY)
            case ("withheld", inner, _):
                return self.of(inner, depth - 1)
            case ("value", space, name):
                return self._item(space, name, (), depth)
            case ("entry", space, name, keys):
                return self._item(space, name, keys, depth)
            case ("column", row, name):
                return self._column(row, name, depth)
            case ("column", _, _, cells):  # of a listed row, with what can stand there
                return hull([self.of(cell, depth - 1) for _, cell in cells if cell != UNDEFINED])
        return ANY

    def sum(self, terms: dict[tuple[Form, ...], Fraction], depth: int = _DEEP) -> Range:
        """The range of a sum of products."""
        made: Range = (Fraction(0), Fraction(0))
        for product, factor in terms.items():
            if factor:
                made = plus(made, times((factor, factor), self.product(product, depth)))
        return made

    def product(self, atoms: tuple[Form, ...], depth: int = _DEEP) -> Range:
        """The range of a product; that of a square is not below 0."""
        made: Range = (Fraction(1), Fraction(1))
        for atom in dict.fromkeys(atoms):
            one = self.of(atom, depth - 1)
            power, count = one, atoms.count(atom)
            for _ in range(count - 1):
                power = times(power, one)
            if count % 2 == 0 and (power[0] is None or power[0] < 0):
                power = Fraction(0), power[1]
            made = times(made, power)
        return made

    def _function(self, function: str, inside: tuple[Form, ...], depth: int) -> Range:
        if function in _SHARES:
            return SHARE
        if function in _SIZES:
            return POSITIVE
        if function in _AMONG and len(inside) == 1:
            return self.of(inside[0], depth - 1)
        if function in ("min", "max"):
            return hull([self.of(one, depth - 1) for one in inside])
        if function == "sum" and len(inside) == 1:  # of nothing it is 0
            low, high = self.of(inside[0], depth - 1)
            return (
                Fraction(0) if low is not None and low >= 0 else None,
                Fraction(0) if high is not None and high <= 0 else None,
            )
        return ANY

    def _item(self, space: str, name: str, keys: tuple[Form, ...], depth: int) -> Range:
        item = self._items.get((space, name))
        if item is None or item.type.kind not in ("int", "number", "real", "quantity"):
            return ANY
        return self.of(self._normal.form(item.expr, {f"per{at}": key for at, key in enumerate(keys)}), depth - 1)

    def _column(self, row: Form, name: str, depth: int) -> Range:
        table = self._tables.get(self._root(row))
        column = table.column(name) if table is not None else None
        if table is None or column is None:
            return ANY
        if column.origin == "listed":
            return _of_cells(cell for _, cell in table.cells(name))
        found = within([self._expected(table.name, name)])
        if column.expr is not None and column.type.kind in ("int", "number", "real", "quantity"):
            found = within([found, self.of(self._normal.form(column.expr, {"self": row}), depth - 1)])
        return found

    def _root(self, row: Form) -> str:
        """The root table of which a form is a row; "" where that is not known."""
        match row:
            case ("row" | "free", _, root):
                return str(root)
            case ("one", _, ("rows", str(name), *_)) if name in self._tables:
                return self._tables[name].root
            case ("column", outer, name):
                table = self._tables.get(self._root(outer))
                column = table.column(name) if table is not None else None
                return column.type.table if column is not None and column.type.kind == "row" else ""
        return ""

    def _expected(self, table: str, name: str) -> Range:
        """The range that is expected of a column in every row of its table."""
        if self._conditions is None:
            self._conditions = self._of_every_row()
        asked = ("column", ("row", 1, table), name)
        return within(_asked(condition, asked) for condition in self._conditions.get(table, ()))

    def _of_every_row(self) -> dict[str, list[Form]]:
        """By table the conditions that the protocol expects of each of its rows."""
        made: dict[str, list[Form]] = {}
        for item in (item for table in self._tables.values() for item in table.expect):
            try:
                form = self._normal.of(item.expr)
            except TooLarge:
                continue
            for part in form[1:] if form[0] == "and" else (form,):
                found = _of_rows(part)
                if found is not None and found[0] in self._tables:
                    made.setdefault(found[0], []).append(found[1])
        return made


def _of_rows(form: Form) -> tuple[str, Form] | None:
    """What is false of no row of a whole table: a condition that is expected of every row, or only not to be false."""
    match form:
        case ("all", rows, condition) | ("not", ("is", "false", ("all", rows, condition))):
            pass
        case ("not", ("some", rows, wrong)):
            condition = negate(wrong)
        case _:
            return None
    _, table, scope, _, base, match, tests, _ = rows
    if not isinstance(table, str) or scope != "all" or base != ("none",) or match:
        return None
    return table, joined("or", [*(negate(test) for test in tests), condition])  # a filter is always defined


def _asked(condition: Form, value: Form) -> Range:
    """The range of a value where it is defined and a condition is not false."""
    match condition:
        case ("cmp", op, about, ("const", "number", bound)) if about == value:
            return {"<": (None, bound), "<=": (None, bound), ">": (bound, None), ">=": (bound, None),
                    "==": (bound, bound)}.get(op, ANY)  # fmt: skip
        case ("and", *parts):
            return within(_asked(part, value) for part in parts)
        case ("or", *parts):
            return hull([_asked(part, value) for part in parts])
        case ("is", "true", inner):
            return _asked(inner, value)
        case ("is", "undefined", inner) | ("not", ("is", "defined", inner)) if inner == value:
            return _NOWHERE
    return ANY


def _of_cells(cells: Iterable[Any]) -> Range:
    known = [cell for cell in cells if cell is not None]
    numbers = [Fraction(cell) for cell in known if isinstance(cell, (int, Fraction)) and not isinstance(cell, bool)]
    return (min(numbers), max(numbers)) if numbers and len(numbers) == len(known) else ANY


def within(ranges: Iterable[Range]) -> Range:
    """What lies in all of these ranges."""
    low: Fraction | None = None
    high: Fraction | None = None
    for one, other in ranges:
        low = one if low is None or (one is not None and one > low) else low
        high = other if high is None or (other is not None and other < high) else high
    return low, high


def hull(ranges: list[Range]) -> Range:
    """What lies in one of these ranges, and between them."""
    known = [one for one in ranges if one != _NOWHERE]
    lows, highs = [low for low, _ in known], [high for _, high in known]
    low = None if None in lows else min((value for value in lows if value is not None), default=None)
    high = None if None in highs else max((value for value in highs if value is not None), default=None)
    return (low, high) if known else _NOWHERE


def plus(one: Range, other: Range) -> Range:
    """The range of a sum."""
    ends = [None if left is None or right is None else left + right for left, right in zip(one, other, strict=True)]
    return ends[0], ends[1]


def times(one: Range, other: Range) -> Range:
    """The range of a product."""
    corners = [_corner(left, right) for left in _ends(one) for right in _ends(other)]
    lows = [-1 if sign < 0 else 0 for sign, number in corners if number is None]
    return (
        None if -1 in lows else min((number for _, number in corners if number is not None), default=None),
        None
        if any(sign > 0 for sign, number in corners if number is None)
        else max((number for _, number in corners if number is not None), default=None),
    )


def _ends(one: Range) -> list[tuple[int, Fraction | None]]:
    """Both ends, each with its sign; one without a number is endless."""
    return [(-1, None) if one[0] is None else (_sign(one[0]), one[0]),
            (1, None) if one[1] is None else (_sign(one[1]), one[1])]  # fmt: skip


def _corner(left: tuple[int, Fraction | None], right: tuple[int, Fraction | None]) -> tuple[int, Fraction | None]:
    sign = left[0] * right[0]
    if sign == 0:
        return 0, Fraction(0)
    if left[1] is None or right[1] is None:
        return sign, None
    return sign, left[1] * right[1]


def _sign(number: Fraction) -> int:
    return (number > 0) - (number < 0)
