"""Row conditions over finitely many kinds of rows.

A *feature* is a part of a condition about a row that is not looked into further: a column with few values, a number
that is compared with constants (each stretch between them stands for its numbers), a question about other rows. A
*cell* is one value of each feature. Features are taken as independent of each other: what holds for all cells holds
for all rows; a cell need not be the cell of any row.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product

from protoc_compiler import core
from protoc_compiler.proof.closing import canonical, key_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

Cell: TypeAlias = "tuple[Any, ...]"
Test: TypeAlias = "Callable[[Cell], Any]"
_NUMBERS = ("int", "number", "quantity")
_WORDS = ("text", "enum", "digest", "any")


class TooMany(Exception):
    """More kinds of rows than are looked at."""


class Feature:
    """One feature: what it is, its number, and the constants that it is compared with."""

    def __init__(self, value: core.Expr, index: int) -> None:
        self.value = value
        self.index = index
        self.constants: set[Any] = set()

    def domain(self, tables: dict[str, core.Table]) -> tuple[Any, ...]:
        """One value for each way in which it can compare with the constants."""
        missing = (None,) if may_be_undefined(self.value, tables) else ()
        kind = self.value.type
        if kind.kind == "bool":
            return (True, False, *missing)
        if kind.kind == "enum":
            return (*kind.members, *sorted(self.constants - set(kind.members)), *missing)
        if kind.kind in _NUMBERS:
            return (*_stretches(sorted(self.constants), kind.kind == "int", _counted(self.value)), *missing)
        return (*sorted(self.constants, key=str), _other(self.constants), *missing)


class Features:
    """The features of the rows of one table."""

    def __init__(self, root: str, tables: dict[str, core.Table]) -> None:
        self.root = root
        self.tables = tables
        self.known: dict[core.Expr, Feature] = {}
        self._tests: dict[core.Expr, tuple[Test, frozenset[int]]] = {}

    def ordered(self) -> list[Feature]:
        """Every feature, in the order of their numbers: as the values stand in a whole cell."""
        return sorted(self.known.values(), key=lambda feature: feature.index)

    def test(self, value: core.Expr) -> tuple[Test, frozenset[int]]:
        """A condition (about the row `self`) as a function of a cell, and the features that it reads."""
        known = self._tests.get(value)
        if known is None:
            used: set[int] = set()
            made = self._made(value, used)
            known = self._tests[value] = made, frozenset(used)
        return known

    def sealed(self, feature: Feature) -> bool:
        """Whether it reads nothing but columns of rows that are sealed before the run."""
        return _only_sealed(feature.value, self.tables)

    # --- parts ----------------------------------------------------------------------------------------------

    def _made(self, value: core.Expr, used: set[int]) -> Test:
        match value:
            case core.Const():
                constant = _plain(value.value)
                return lambda cell: constant
            case core.And() | core.Or():
                parts = [self._made(part, used) for part in value.parts]
                return _joined(parts, deciding=isinstance(value, core.Or))
            case core.Not():
                inner = self._made(value.operand, used)
                return lambda cell: None if (got := inner(cell)) is None else not got
            case core.Is():
                return self._is(value, used)
            case core.Default():
                inner, other = self._made(value.operand, used), self._made(value.value, used)
                return lambda cell: other(cell) if (got := inner(cell)) is None else got
            case core.Choose():
                return self._choose(value, used)
            case core.Compare(ops=(op,)) if self._comparable(value.operands):
                return self._compare(value, op, used)
            case core.InList() if self._comparable((value.item, *value.members)):
                return self._in_list(value, used)
            case core.InRange() if self._comparable((value.item, value.low, value.high)):
                low = core.Compare(core.BOOL, (value.low, value.item), ("<=",))
                high = core.Compare(core.BOOL, (value.item, value.high), ("<=",))
                return self._made(core.And(core.BOOL, (low, high)), used)
        return self._feature(value, used)

    def _is(self, value: core.Is, used: set[int]) -> Test:
        inner = self._made(value.operand, used)
        wanted = {"true": (True,), "false": (False,)}.get(value.state)
        if wanted is not None:
            return lambda cell: inner(cell) in wanted
        defined = value.state == "defined"
        return lambda cell: (inner(cell) is not None) is defined

    def _choose(self, value: core.Choose, used: set[int]) -> Test:
        lines = [(self._made(test, used), self._made(given, used)) for test, given in value.lines]
        otherwise = self._made(value.otherwise, used)

        def chosen(cell: Cell) -> Any:
            """The value of the first line whose test holds in the cell; None where an earlier test is undefined."""
            for test, given in lines:
                got = test(cell)
                if got is None:
                    return None
                if got:
                    return given(cell)
            return otherwise(cell)

        return chosen

    def _compare(self, value: core.Compare, op: str, used: set[int]) -> Test:
        left, right = (self._made(part, used) for part in value.operands)
        self._share(value.operands)

        def held(cell: Cell) -> bool | None:
            """Whether the comparison holds in the cell; None where an operand is undefined."""
            a, b = left(cell), right(cell)
            if a is None or b is None:
                return None
            return bool(a == b if op == "==" else a < b if op == "<" else a <= b)

        return held

    def _in_list(self, value: core.InList, used: set[int]) -> Test:
        item = self._made(value.item, used)
        members = [self._made(member, used) for member in value.members]
        self._share((value.item, *value.members))
        constants = [_plain(member.value) for member in value.members if isinstance(member, core.Const)]
        if len(constants) == len(members) and None not in constants:
            return lambda cell: None if (a := item(cell)) is None else a in constants

        def held(cell: Cell) -> bool | None:
            """Whether the value is one of the members in the cell, by Kleene's logic."""
            a = item(cell)
            return _kleene([None if a is None or (b := member(cell)) is None else a == b for member in members], True)

        return held

    def _share(self, operands: tuple[core.Expr, ...]) -> None:
        """Each feature of one operand is compared with the constants of the others."""
        for operand in operands:
            constants = {c for other in operands if other is not operand for c in _constants(other)}
            for feature in self._inside(operand):
                feature.constants |= {c for c in constants if c is not None}

    def _inside(self, value: core.Expr) -> list[Feature]:
        named = canonical(value, "self")
        if named in self.known:
            return [self.known[named]]
        if isinstance(value, core.Choose):
            given = [part for _, part in value.lines] + [value.otherwise]
            return [feature for part in given for feature in self._inside(part)]
        if isinstance(value, core.Default):
            return [*self._inside(value.operand), *self._inside(value.value)]
        return []

    def _comparable(self, operands: tuple[core.Expr, ...]) -> bool:
        """Whether cells tell how these compare: at most constants beside what has more values than are named."""
        open_ones = [operand for operand in operands if not _few(operand)]
        if any(operand.type.kind not in (*_NUMBERS, *_WORDS) for operand in open_ones):
            return False
        return all(_constant(other) for operand in open_ones for other in operands if other is not operand)

    def _feature(self, value: core.Expr, used: set[int]) -> Test:
        value = canonical(value, "self")
        found = self.known.get(value)
        if found is None:
            found = self.known[value] = Feature(value, len(self.known))
        index = found.index
        used.add(index)
        return lambda cell: cell[index]


def cells(domains: list[tuple[Any, ...]], most: int) -> list[Cell]:
    """Every cell; raises `TooMany`."""
    size = 1
    for domain in domains:
        size *= len(domain)
        if size > most:
            raise TooMany
    return list(product(*domains))


def may_be_undefined(value: core.Expr, tables: dict[str, core.Table]) -> bool:
    """Whether a closed formula about a row is not seen to be always defined."""
    match value:
        case core.Const():
            return value.value is None
        case core.RowVar() | core.Is():
            return False
        case core.Column():
            table = tables.get(value.row.type.table)
            column = table.column(value.name) if table is not None else None
            if column is None or (column.optional and column.origin != "key"):
                return True
            return not _record(value.row, tables) and may_be_undefined(value.row, tables)
        case core.Aggregate(function="count"):
            return _may_have_no_place(value.rows, tables)
        case core.Quantified(quantifier="some" | "no"):
            if value.condition is None or _may_have_no_place(value.rows, tables):
                return True
            return may_be_undefined(value.condition, tables)
        case core.InSet() | core.Compare() | core.Not() | core.And() | core.Or() | core.Negative() | core.InList():
            return any(may_be_undefined(part, tables) for part in _operands(value))
        case core.Default():
            return may_be_undefined(value.value, tables)
        case core.Arithmetic():
            return value.op == "/" or any(may_be_undefined(part, tables) for part in (value.left, value.right))
        case core.Call(function="named"):
            return False
    return True


def _may_have_no_place(rows: core.Rows, tables: dict[str, core.Table]) -> bool:
    """Whether it may be undefined which rows these are: `latest N T` of fewer rows, or `earlier T` of a row without a
    place in an order that T has of its own."""
    table = tables.get(rows.table)
    while rows.scope == "earlier" and table is not None and table.rows is not None and not table.rows.order:
        table = tables.get(table.rows.table)
    return rows.scope == "latest" or (rows.scope == "earlier" and (table is None or table.rows is not None))


def _record(value: core.Expr, tables: dict[str, core.Table]) -> bool:
    if not isinstance(value, core.OneRow) or value.function != "only" or value.rows.where or value.rows.match:
        return False
    table = tables.get(value.rows.table)
    return table is not None and table.record


def _operands(value: core.Expr) -> list[core.Expr]:
    made = []
    for name, part in value.__dict__.items():
        if name != "type":
            made += [part] if isinstance(part, core.Expr) else []
            made += [inner for inner in part if isinstance(inner, core.Expr)] if isinstance(part, tuple) else []
    return made


def _only_sealed(value: Any, tables: dict[str, core.Table]) -> bool:
    if isinstance(value, core.Column):
        table = tables.get(value.row.type.table)
        column = table.column(value.name) if table is not None else None
        sealed = column is not None and column.origin in ("input", "key", "listed")
        return sealed and _only_sealed(value.row, tables)
    if isinstance(value, core.Rows):
        table = tables.get(value.table)
        sealed = table is not None and (table.source == "file" or table.kind in ("nested", "listed"))
        return sealed and all(_only_sealed(part, tables) for part in (*value.where, *(m.value for m in value.match)))
    if isinstance(value, (core.Custom, core.Call)):
        return False
    if isinstance(value, core.Expr):
        rows = getattr(value, "rows", None)
        inside = [*_operands(value), *([rows] if rows is not None else [])]
        return all(_only_sealed(part, tables) for part in inside)
    return True


def _few(value: core.Expr) -> bool:
    """Whether all values are named: constants, words of an enum, truth."""
    if isinstance(value, core.Const) or value.type.kind in ("bool", "enum"):
        return True
    if isinstance(value, core.Choose):
        return all(_few(part) for part in (*(given for _, given in value.lines), value.otherwise))
    return False


def _constant(value: core.Expr) -> bool:
    if isinstance(value, core.Choose):
        return all(_constant(part) for part in (*(given for _, given in value.lines), value.otherwise))
    return isinstance(value, core.Const)


def _constants(value: core.Expr) -> list[Any]:
    if isinstance(value, core.Const):
        return [_plain(value.value)]
    if isinstance(value, core.Choose):
        return [c for part in (*(given for _, given in value.lines), value.otherwise) for c in _constants(part)]
    if isinstance(value, core.Default):
        return [*_constants(value.operand), *_constants(value.value)]
    return []


def _plain(value: Any) -> Any:
    return Fraction(value) if isinstance(value, (int, Fraction)) and not isinstance(value, bool) else value


def _joined(parts: list[Test], *, deciding: bool) -> Test:
    def joined(cell: Cell) -> bool | None:
        """What the parts give together in the cell, by Kleene's logic; those behind one that decides are not asked."""
        undefined = False
        for part in parts:
            got = part(cell)
            if got == deciding:
                return deciding
            undefined = undefined or got is None
        return None if undefined else not deciding

    return joined


def _kleene(values: list[Any], deciding: bool) -> bool | None:
    if deciding in values:
        return deciding
    return None if None in values else not deciding


def _counted(value: core.Expr) -> bool:
    """Whether a number is never negative."""
    return isinstance(value, core.Aggregate) and value.function in ("count", "distinct")


def _stretches(constants: list[Fraction], integer: bool, counted: bool) -> list[Fraction]:
    if not constants:
        return [Fraction(0)]
    made = [constants[0] - 1]
    for at, constant in enumerate(constants):
        made.append(constant)
        following = constants[at + 1] if at + 1 < len(constants) else constant + 2
        middle = (constant + following) / 2
        made.append(Fraction(constant.__floor__() + 1) if integer else middle)
        if integer and made[-1] >= following:
            made.pop()
    if integer:
        made = sorted({value if value.denominator == 1 else Fraction(value.__floor__()) for value in made})
    return [value for value in made if not counted or value >= 0]


def _other(constants: set[Any]) -> Any:
    known = next(iter(constants), "")
    if not isinstance(known, str):
        from datetime import date, datetime

        if isinstance(known, datetime):
            return datetime.min
        if isinstance(known, date):
            return date.min
    other = "other"
    while other in constants:
        other += "_"
    return other


def order_of(value: core.Expr) -> str:
    """A text that orders features."""
    return key_of(value)
