"""Values for the cells of rows that are tried: what comparisons name, what lies beside it, and what is plain."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from itertools import pairwise
from typing import Any

from protoc_compiler import core
from protoc_compiler.core.tree import all_nodes
from protoc_compiler.proof.program import support
from protoc_compiler.proof.trials.rowset import unit

Place = tuple[str, str]  # a table and one of its columns
NUMBERS = ("int", "number", "real", "quantity")
OWN = ("text", "int", "any", "number", "real", "quantity", "time", "date", "digest")  # kinds that name a row by itself
_MOST = 6


class Values:
    """What may stand in a column."""

    def __init__(self, protocols: tuple[core.Protocol, ...]) -> None:
        self.named: dict[Place, list[Any]] = {}
        self.sizes: dict[str, list[Any]] = {}  # by unit the quantities that comparisons name
        self.tied: dict[Place, list[Place]] = {}  # columns with which another one is compared
        for protocol in protocols:
            for formula in formulas(protocol):
                for node in all_nodes(formula):
                    self._look_at(node)

    def _tie(self, one: Place, other: Any) -> None:
        if isinstance(other, core.Column):
            two = (other.row.type.table, other.name)
            for first, second in ((one, two), (two, one)):
                known = self.tied.setdefault(first, [])
                if second not in known and first != second:
                    known.append(second)

    def _look_at(self, node: Any) -> None:
        if isinstance(node, core.Rows):
            for match in node.match:
                self._tie((node.table, match.column), match.value)
            return
        if isinstance(node, core.Compare):
            among = node.operands
            for one, other in pairwise(among):
                if isinstance(one, core.Column):
                    self._tie((one.row.type.table, one.name), other)
        elif isinstance(node, core.InList):
            among = (node.item, *node.members)
        elif isinstance(node, core.InRange):
            among = (node.item, node.low, node.high)
        else:
            return
        for one in among:
            if isinstance(one, core.Const) and one.type.kind == "quantity" and isinstance(one.value, (int, Fraction)):
                known = self.sizes.setdefault(one.type.unit, [])
                known += [one.value] if one.value not in known else []
        constants = [one.value for one in among if isinstance(one, core.Const) and one.value is not None]
        if not constants:
            return
        for part in among:
            for inside in all_nodes(part):
                if isinstance(inside, core.Column):
                    known = self.named.setdefault((inside.row.type.table, inside.name), [])
                    known += [value for value in constants if value not in known]

    def first(self, table: core.Table, column: core.Col, at: int) -> Any:
        """The plainest value, for the row at this place."""
        kind = column.type
        if kind.kind in OWN and column.name in (*table.key, *table.order):
            return self.own(table, column, at)
        if kind.kind == "text":
            known = self._texts(table, column)
            return known[0] if known else f"{column.name} {at + 1}"
        return next(iter(self.plain(table, column)), None)

    def own(self, table: core.Table, column: core.Col, at: int) -> Any:
        """A value that no row at another place has."""
        kind = column.type.kind
        if kind in ("text", "any"):
            known = self._texts(table, column)
            made = known[at] if at < len(known) else f"{column.name} {at + 1}"
            return made if kind == "text" else anything("text", made)
        if kind in NUMBERS:
            return (at + 1) if kind == "int" else (at + 1) * unit(column.type)
        if kind == "time":
            return datetime(2000, 1, 1, tzinfo=UTC) + timedelta(seconds=at)
        if kind == "date":
            return date(2000, 1, 1) + timedelta(days=at)
        return f"{at:064x}" if kind == "digest" else None

    def plain(self, table: core.Table, column: core.Col) -> list[Any]:
        """Values that do not depend on what stands there; those of the protocol first."""
        kind = column.type
        named = [value for value in self.named.get((table.name, column.name), []) if _fits(value, kind)]
        if kind.kind == "bool":
            made: list[Any] = [False, True]
        elif kind.kind == "enum":
            made = list(kind.members)
        elif kind.kind in NUMBERS:
            made = [number(value, kind) for value in self._numbers(named, kind)]
        elif kind.kind == "text":
            made = [*self._texts(table, column), "a", "b"]
        elif kind.kind == "any":
            made = [anything("bool", True), anything("number", Fraction(1)), anything("bool", False)]
            made += [anything("text" if isinstance(value, str) else "number", value) for value in named]
        elif kind.kind in ("set", "list") and kind.item is not None:
            items = self.plain(table, core.Col(column.name, kind.item, False, "input"))
            sets = kind.kind == "set"
            made = [frozenset(some) if sets else tuple(some) for some in ((), items[:1], items[1:2], items[:2])]
        elif kind.kind == "time":
            made = [*named, *(datetime(2000, 1, day, tzinfo=UTC) for day in (1, 2))]
        elif kind.kind == "date":
            made = [*named, *(date(2000, 1, day) for day in (1, 2))]
        else:
            made = [*named, "0" * 64, "1" * 64] if kind.kind == "digest" else []
        return [*dict.fromkeys(made), *([None] if column.optional else [])]

    def _numbers(self, named: list[Any], kind: core.Type) -> Iterator[Fraction]:
        yield from (Fraction(1), Fraction(0))
        step = Fraction(1) if kind.kind == "int" else unit(kind)
        for value in named[:_MOST]:
            yield from (Fraction(value), Fraction(value) + step, Fraction(value) - step)
        sizes = sorted(self.sizes.get(kind.unit, ())) if kind.kind == "quantity" else []
        yield from map(Fraction, sizes)
        yield from ((Fraction(low) + high) / 2 for low, high in pairwise(sizes))

    def beside(self, value: Any, column: core.Col) -> Iterator[Any]:
        """Of a number what is near, larger and smaller."""
        kind = column.type
        if kind.kind not in NUMBERS or isinstance(value, bool) or not isinstance(value, (int, Fraction)):
            return
        step = Fraction(1) if kind.kind == "int" else unit(kind)
        near = (value + step, value - step, value * 2, Fraction(value) / 2)
        fine = (value * Fraction(11, 10), value * Fraction(9, 10), value * Fraction(51, 50), value * Fraction(49, 50))
        for one in near if kind.kind == "int" else (*near, *fine):
            yield number(Fraction(one), kind)

    def _texts(self, table: core.Table, column: core.Col) -> list[str]:
        return [value for value in self.named.get((table.name, column.name), []) if isinstance(value, str)]


def number(value: Fraction, kind: core.Type) -> Any:
    """As a cell of this type holds it, with so many decimals that a file can have it."""
    if kind.kind == "int":
        return int(value)
    return Fraction(round(value / unit(kind), 5)) * unit(kind)


def anything(kind: str, value: Any) -> Any:
    """A cell of a column of type `any`."""
    return support()["Anything"](kind, Fraction(value) if kind == "number" else value)


def _fits(value: Any, kind: core.Type) -> bool:
    if kind.kind in NUMBERS:
        return isinstance(value, (int, Fraction)) and not isinstance(value, bool)
    if kind.kind in ("text", "digest"):
        return isinstance(value, str)
    if kind.kind in ("time", "date"):
        return isinstance(value, datetime if kind.kind == "time" else date)
    return not isinstance(value, bool)


def formulas(protocol: core.Protocol) -> Iterator[core.Expr | core.Rows]:
    """Every formula of a protocol."""
    for table in protocol.tables:
        if table.rows is not None:
            yield table.rows
        yield from (column.expr for column in table.columns if column.expr is not None)
        yield from (item.expr for item in table.expect)
    for item in protocol.items:
        yield item.expr
        if item.withheld is not None:
            yield item.withheld


__all__ = ["NUMBERS", "OWN", "Place", "Values", "anything", "formulas", "number"]
