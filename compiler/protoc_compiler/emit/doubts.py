"""Filters that are undefined where the rows are not as the protocol expects them.

That a filter is defined may have been proved from an expectation (`count(T) == 1`), or from a record that the tool
fills. `protoc score` goes on where rows break an expectation, and has no seal: then the filter is undefined, and with
it which rows are meant. Both programs take care of such filters, and of no others, so all filters are proved here once
more, without what the rows may break.
"""

from __future__ import annotations

from protoc_compiler import core
from protoc_compiler.by_protocol import by_protocol
from protoc_compiler.conditions import Conditions, grouping
from protoc_compiler.decided import Decider
from protoc_compiler.drawn import drawn_tables
from protoc_compiler.facts import Facts
from protoc_runtime.diagnostics import Span
from protoc_runtime.record import record, replace


@record
class Doubts:
    """`conditions`: parts of filters, as `and` joins them, that may be undefined. `tables`: those whose rows may be."""

    conditions: frozenset[core.Expr]
    tables: frozenset[str]

    def of(self, condition: core.Expr) -> tuple[core.Expr, ...]:
        """The parts of a filter that may be undefined."""
        return tuple(part for part in conjuncts(condition) if part in self.conditions)

    def about(self, rows: core.Rows) -> bool:
        """Whether it may be undefined which rows these are."""
        return rows.table in self.tables or any(map(self.of, rows.where))


@by_protocol
def doubts(protocol: core.Protocol) -> Doubts:
    """What may be undefined in the filters of a protocol."""
    decider = _Strict(protocol)
    found = _Found(decider)
    found.protocol(protocol)
    return Doubts(frozenset(found.conditions), frozenset(name for name in decider.tables if decider.table(name)))


def conjuncts(condition: core.Expr) -> tuple[core.Expr, ...]:
    """The conditions that are joined by `and`."""
    if isinstance(condition, core.And):
        return tuple(part for item in condition.parts for part in conjuncts(item))
    return (condition,)


class _Strict(Decider):
    """Proofs from the formulas and types alone. A draw may leave no row of a listed table."""

    def __init__(self, protocol: core.Protocol) -> None:
        drawn = {name for interval in protocol.intervals for name in drawn_tables(interval)}
        tables = [replace(table, expect=(), record=False) for table in protocol.tables]
        tables = [replace(table, listed=()) if table.name in drawn else table for table in tables]
        super().__init__(replace(protocol, tables=tuple(tables)))
        self.tables = _Tables(self.tables)
        self._tables: dict[str, str | None] = {}

    def unknown(self, rows: core.Rows, facts: Facts) -> str | None:
        """Also where a filter may be undefined."""
        reason = super().unknown(rows, facts) or self.table(rows.table)
        known = self.inside(core.Rows(rows.var, rows.table), facts)
        for test in rows.where:
            reason = reason or self.doubt(test, known)
            known = known.true(test)
        return reason

    def item(self, space: str, name: str) -> str | None:
        """Also where it may be undefined which entries there are."""
        reason = super().item(space, name)
        pers = self.items[space, name].per if reason is None else ()
        return reason or next((why for per in pers if (why := self.table(per))), None)

    def table(self, name: str) -> str | None:
        """Why it may be undefined which rows a table has."""
        if name not in self._tables:
            self._tables[name] = f"`{name}`"
            self._tables[name] = self._of_table(self.tables[name])
        return self._tables[name]

    def _of_table(self, table: core.Table) -> str | None:
        reasons = [self.table(part) for part in table.parts]
        if table.rows is not None:
            reasons.append(self.unknown(table.rows, Facts()))
            keys = [grouping(self, table, column) for column in table.columns if column.name in table.group]
            reasons.append(self.first(tuple(keys), self.inside(table.rows, Facts())))
        return next((reason for reason in reasons if reason), None)


class _Tables(dict[str, core.Table]):
    def __missing__(self, name: str) -> core.Table:
        """A table that the protocol does not have; the programs refuse it."""
        return core.Table(name, "input", name)


class _Found(Conditions):
    narrowed = True

    def __init__(self, decider: Decider) -> None:
        super().__init__(decider)
        self.conditions: set[core.Expr] = set()

    def condition(self, test: core.Expr, facts: Facts, span: Span | None) -> None:
        """Keep the parts that are not proved, also where the others hold."""
        waiting, known = list(conjuncts(test)), facts
        while proved := [part for part in waiting if self.decider.doubt(part, known) is None]:
            known = known.true(*proved)
            waiting = [part for part in waiting if part not in proved]
        self.conditions.update(waiting)

    def key(self, table: core.Table, column: core.Col, facts: Facts, span: Span | None) -> None:
        """A doubtful key makes the table doubtful, which the decider knows."""
