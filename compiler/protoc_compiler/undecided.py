"""Checks that every filter and `when` is proved defined, with what is known at its place."""

from __future__ import annotations

from protoc_compiler import core
from protoc_compiler.catalogue import decided as kinds
from protoc_compiler.conditions import Conditions, grouping
from protoc_compiler.decided import Decider, decider_of
from protoc_compiler.elaborate.context import Context
from protoc_compiler.facts import Facts
from protoc_compiler.spec import Definition
from protoc_runtime.diagnostics import Span


def check(protocol: core.Protocol, el: Context) -> None:
    """Report every condition that may be undefined where it must not be."""
    walker = _Walker(decider_of(protocol), el)
    walker.protocol(protocol)
    walker.needless(protocol)


class _Walker(Conditions):
    def __init__(self, decider: Decider, el: Context) -> None:
        super().__init__(decider)
        self.el = el

    def place(self, value: core.Expr, span: Span | None) -> Span:
        """Where a condition is written; that of its rule, or of the whole protocol, where it has no place."""
        return self.el.place(value, span or self.el.spec.title.span)

    def condition(self, test: core.Expr, facts: Facts, span: Span | None) -> None:
        """Report a condition that could be undefined under these facts."""
        reason = self.decider.doubt(test, facts)
        if reason is not None:
            self.el.findings.add(kinds.UNDECIDED, self.place(test, span), reason=reason)

    def key(self, table: core.Table, column: core.Col, facts: Facts, span: Span | None) -> None:
        """Report a column by which rows are grouped and that could be undefined."""
        if self.decider.doubt(grouping(self.decider, table, column), facts):
            place = column.span or span or self.el.spec.title.span
            source = table.rows.table if table.rows is not None else table.name
            self.el.findings.add(kinds.NULLABLE_GROUP, place, name=column.name, table=source)

    def needless(self, protocol: core.Protocol) -> None:
        """Warn of an `if_undefined` that can never be taken."""
        for table in protocol.tables:
            for column in table.columns:
                source = self.el.names.columns.get(table.name, {}).get(column.name)
                if isinstance(source, Definition) and isinstance(column.expr, core.Default):
                    self._needless(column.expr, source, Facts())
        for item in protocol.items:
            named = self.el.names.items.get((item.space, item.name))
            if named is not None and isinstance(named.source, Definition) and isinstance(item.expr, core.Default):
                self._needless(item.expr, named.source, Facts())

    def _needless(self, value: core.Default, source: Definition, facts: Facts) -> None:
        if source.if_undefined is not None and self.decider.doubt(value.operand, facts) is None:
            self.el.findings.add(kinds.NEVER_UNDEFINED, source.if_undefined.span, name=source.name.text)
