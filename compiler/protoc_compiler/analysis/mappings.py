"""Tables and lists that map outcomes to meanings: whether they say something of each, and only one thing."""

from __future__ import annotations

from protoc_compiler import core
from protoc_compiler.analysis.bands import Stretch, band, meet, within
from protoc_compiler.analysis.shapes import shape
from protoc_compiler.analysis.walk import resolved
from protoc_compiler.catalogue import analysis as kinds
from protoc_compiler.elaborate.context import Context
from protoc_runtime.diagnostics import Span

_SHOWN = 5


def check(protocol: core.Protocol, el: Context) -> None:
    """Report listed tables that leave out members of what they map, and outcome regions that overlap in part."""
    for table in protocol.tables:
        if table.kind == "listed" and len(table.key) == 1 and table.name != "splits":
            _total(protocol, el, table)
    for item in protocol.items:
        if item.space in ("verdict", "verdicts", "statuses") and isinstance(item.expr, core.Choose):
            _exclusive(protocol, el, item.expr, item.span or el.spec.title.span)


def _total(protocol: core.Protocol, el: Context, table: core.Table) -> None:
    column = table.column(table.key[0])
    if column is None:
        return
    members = list(column.type.members)
    if column.type.kind == "row":
        target = protocol.table(column.type.table)
        members = [str(row[0]) for row in target.listed] if target.kind == "listed" else []
    place = [each.name for each in table.columns].index(table.key[0])
    there = {str(row[place]) for row in table.listed}
    missing = [member for member in members if member not in there]
    if missing:
        told = ", ".join(f"`{member}`" for member in missing[:_SHOWN])
        more = f" and {len(missing) - _SHOWN} more" if len(missing) > _SHOWN else ""
        el.findings.add(
            kinds.NOT_TOTAL, table.span or el.spec.title.span, table=table.name, key=table.key[0], missing=told + more
        )


def _exclusive(protocol: core.Protocol, el: Context, value: core.Choose, span: Span) -> None:
    seen: list[tuple[str, Stretch, object]] = []
    for test, word in value.lines:
        inner = test.operand if isinstance(test, core.Is) and test.state == "true" else test
        found = band(resolved(protocol, inner))
        if found is None:
            continue
        operand, stretch = found
        for other, earlier, said in seen:
            nested = within(stretch, earlier) or within(earlier, stretch)
            if other == shape(operand) and said != word and not nested and meet(stretch, earlier):
                one, two = _said(said), _said(word)
                el.findings.add(kinds.OVERLAPPING, el.place(test, span), first=one, second=two)
                break
        seen.append((shape(operand), stretch, word))


def _said(word: object) -> object:
    return word.value if isinstance(word, core.Const) else "a value"
