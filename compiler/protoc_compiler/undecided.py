"""Checks that every filter and `when` is proved defined, with what is known at its place."""

from __future__ import annotations

from protoc_compiler import core
from protoc_compiler.catalogue import decided as kinds
from protoc_compiler.decided import Decider
from protoc_compiler.elaborate.context import Context
from protoc_compiler.facts import Facts
from protoc_compiler.spec import Definition
from protoc_runtime.diagnostics import Span


def check(protocol: core.Protocol, el: Context) -> None:
    """Report every condition that may be undefined where it must not be."""
    walker = _Walker(Decider(protocol), el)
    for table in protocol.tables:
        span = table.span or el.spec.title.span
        if table.rows is not None:
            inside = walker.rows(table.rows, Facts(), span)
            walker.groups(table, inside, span)
        for column in table.columns:
            if column.expr is not None and column.origin != "metric":
                walker.visit(column.expr, Facts(), column.span or span)
        for item in table.expect:
            walker.visit(item.expr, Facts(), item.span or span)
    for item in protocol.items:
        span = item.span or el.spec.title.span
        walker.visit(item.expr, Facts(), span)
        if item.withheld is not None:
            walker.condition(item.withheld, Facts(), span)
            walker.visit(item.withheld, Facts(), span)
    for interval in protocol.intervals:
        span = interval.span or el.spec.title.span
        known = Facts()
        for rows in interval.resample:
            known = walker.rows(rows, known, span)
        for rows in interval.follow:
            walker.rows(rows, known, span)
        for value in (*interval.within, *([interval.out_of] if interval.out_of is not None else [])):
            walker.visit(value, known, span)
    walker.needless(protocol)


class _Walker:
    def __init__(self, decider: Decider, el: Context) -> None:
        self.decider = decider
        self.el = el

    def condition(self, test: core.Expr, facts: Facts, span: Span) -> None:
        """Report a condition that could be undefined under these facts."""
        reason = self.decider.doubt(test, facts)
        if reason is not None:
            self.el.findings.add(kinds.UNDECIDED, self.el.place(test, span), reason=reason)

    def rows(self, rows: core.Rows, facts: Facts, span: Span) -> Facts:
        """Visit all that chooses rows; the facts that hold of each of them."""
        if rows.base is not None:
            self.visit(rows.base, facts, span)
        for match in rows.match:
            self.visit(match.value, facts, span)
        bare = core.Rows(rows.var, rows.table)
        known = self.decider.inside(bare, facts)
        for test in rows.where:
            self.condition(test, known, span)
            self.visit(test, known, span)
            known = known.true(test)
        for key in rows.order:
            self.visit(key, known, span)
        return known

    def groups(self, table: core.Table, inside: Facts, span: Span) -> None:
        """Report each column by which rows are grouped and that could be undefined."""
        if table.kind != "grouped" or table.rows is None:
            return
        root = self.decider.tables[table.rows.table].root
        for column in table.columns:
            if column.name in table.group:
                row = core.RowVar(core.Type("row", table=root), table.rows.var)
                if self.decider.doubt(core.Column(column.type, row, column.name), inside):
                    place = column.span or span
                    self.el.findings.add(kinds.NULLABLE_GROUP, place, name=column.name, table=table.rows.table)

    def visit(self, value: core.Expr, facts: Facts, span: Span) -> None:
        """Visit a formula and its parts, each with the facts that hold where it is reached."""
        span = self.el.place(value, span)
        if isinstance(value, core.Choose):
            self._choose(value, facts, span)
        elif isinstance(value, (core.And, core.Or)):
            self._junction(value, facts, span)
        else:
            inside = facts
            rows = getattr(value, "rows", None)
            if isinstance(rows, core.Rows):
                inside = self.rows(rows, facts, span)
            for name, part in value.__dict__.items():
                self._part(part, facts if name == "options" else inside, span)

    def _part(self, part: object, facts: Facts, span: Span) -> None:
        if isinstance(part, core.Expr):
            self.visit(part, facts, span)
        elif isinstance(part, tuple):
            for item in part:
                self._part(item, facts, span)

    def _choose(self, value: core.Choose, facts: Facts, span: Span) -> None:
        known = facts
        for test, given in value.lines:
            self.condition(test, known, span)
            self.visit(test, known, span)
            self.visit(given, known.true(test), span)
            known = known.false(test)
        self.visit(value.otherwise, known, span)

    def _junction(self, value: core.And | core.Or, facts: Facts, span: Span) -> None:
        sure = [part for part in value.parts if self.decider.doubt(part, facts) is None]
        for part in value.parts:
            others = [other for other in sure if other is not part]
            known = facts.true(*others) if isinstance(value, core.And) else facts.false(*others)
            self.visit(part, known, span)

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
