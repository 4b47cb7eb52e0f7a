"""Every condition of a protocol that must be defined, with what is known where it stands."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import lru_cache

from protoc_compiler import core
from protoc_compiler.core.tree import holding, nodes
from protoc_compiler.decided import Decider
from protoc_compiler.facts import Facts
from protoc_runtime.diagnostics import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Conditions(ABC):
    """Walks a protocol; what becomes of a condition and of a key of groups is said by a subclass."""

    narrowed = False  # whether the columns that groups have `with` a metric are visited, too

    def __init__(self, decider: Decider) -> None:
        self.decider = decider

    @abstractmethod
    def condition(self, test: core.Expr, facts: Facts, span: Span | None) -> None:
        """A filter or `when`, with the facts that hold at its place."""

    @abstractmethod
    def key(self, table: core.Table, column: core.Col, facts: Facts, span: Span | None) -> None:
        """A column by which rows are grouped, with the facts that hold of each of them."""

    def place(self, value: core.Expr, span: Span | None) -> Span | None:
        """Where a formula stands, inside of what stands at `span`."""
        return span

    def protocol(self, protocol: core.Protocol) -> None:
        """Visit all formulas."""
        for table in protocol.tables:
            self._table(table)
        for item in protocol.items:
            self.visit(item.expr, Facts(), item.span)
            if item.withheld is not None:
                self.condition(item.withheld, Facts(), item.span)
                self.visit(item.withheld, Facts(), item.span)
        for interval in protocol.intervals:
            self._interval(interval)

    def _table(self, table: core.Table) -> None:
        if table.rows is not None:
            inside = self.rows(table.rows, Facts(), table.span)
            if table.kind == "grouped":
                for column in table.columns:
                    if column.name in table.group:
                        self.key(table, column, inside, table.span)
        for column in table.columns:
            if column.expr is not None and (self.narrowed or column.origin != "metric"):
                self.visit(column.expr, Facts(), column.span or table.span)
        for item in table.expect:
            self.visit(item.expr, Facts(), item.span or table.span)

    def _interval(self, interval: core.Interval) -> None:
        known = Facts()
        for rows in interval.resample:
            known = self.rows(rows, known, interval.span)
        for rows in interval.follow:
            self.rows(rows, known, interval.span)
        for value in (*interval.within, *([interval.out_of] if interval.out_of is not None else [])):
            self.visit(value, known, interval.span)

    def rows(self, rows: core.Rows, facts: Facts, span: Span | None) -> Facts:
        """Visit all that chooses rows; the facts that hold of each of them."""
        if rows.base is not None:
            self.visit(rows.base, facts, span)
        for match in rows.match:
            self.visit(match.value, facts, span)
        known = self.decider.inside(core.Rows(rows.var, rows.table), facts)
        for test in rows.where:
            self.condition(test, known, span)
            self.visit(test, known, span)
            known = known.true(test)
        for key in rows.order:
            self.visit(key, known, span)
        return known

    def visit(self, value: core.Expr, facts: Facts, span: Span | None) -> None:
        """Visit a formula and its parts, each with the facts that hold where it is reached."""
        if not asks(value):
            return
        kind: Any = type(value)
        inner = holding(kind)
        span = self.place(value, span)
        if kind is core.Choose:
            self._choose(value, facts, span)  # type: ignore[arg-type]
        elif kind is core.And or kind is core.Or:
            self._junction(value, facts, span)  # type: ignore[arg-type]
        else:
            inside = facts
            rows = getattr(value, "rows", None) if "rows" in inner else None
            if isinstance(rows, core.Rows):
                inside = self.rows(rows, facts, span)
            for name in inner:
                self._part(getattr(value, name), facts if name == "options" else inside, span)

    def _part(self, part: object, facts: Facts, span: Span | None) -> None:
        if isinstance(part, core.Expr):
            self.visit(part, facts, span)
        elif isinstance(part, tuple):
            for item in part:
                self._part(item, facts, span)

    def _choose(self, value: core.Choose, facts: Facts, span: Span | None) -> None:
        known = facts
        for test, given in value.lines:
            self.condition(test, known, span)
            self.visit(test, known, span)
            self.visit(given, known.true(test), span)
            known = known.false(test)
        self.visit(value.otherwise, known, span)

    def _junction(self, value: core.And | core.Or, facts: Facts, span: Span | None) -> None:
        sure = [part for part in value.parts if self.decider.doubt(part, facts) is None]
        for part in value.parts:
            others = [other for other in sure if other is not part]
            known = facts.true(*others) if isinstance(value, core.And) else facts.false(*others)
            self.visit(part, known, span)


@lru_cache(maxsize=1 << 12)
def asks(value: core.Expr | core.Rows | core.Match) -> bool:
    """Whether something chooses inside of it: most formulas need no walk with facts, which are dear."""
    if isinstance(value, core.Choose) or (isinstance(value, core.Rows) and value.where):
        return True
    return any(map(asks, nodes(value)))


def grouping(decider: Decider, table: core.Table, column: core.Col) -> core.Expr:
    """The column of a row by which rows are grouped."""
    assert table.rows is not None
    root = decider.tables[table.rows.table].root
    return core.Column(column.type, core.RowVar(core.Type("row", table=root), table.rows.var), column.name)
