"""Every expression of a protocol, with the place where it was written."""

from __future__ import annotations

from collections.abc import Iterator

from protoc_compiler import core
from protoc_compiler.elaborate.context import Context
from protoc_runtime.diagnostics import Span


def written(protocol: core.Protocol, el: Context) -> Iterator[tuple[core.Expr, Span, core.Item | None]]:
    """(formula, place, its item) of every item, derived column and expectation."""
    fallback = el.spec.title.span
    for table in protocol.tables:
        for column in table.columns:
            if column.expr is not None and column.origin != "metric":
                yield column.expr, column.span or fallback, None
        if table.rows is not None:
            for test in table.rows.where:
                yield test, table.span or fallback, None
    for item in protocol.items:
        yield item.expr, item.span or fallback, item


def resolved(protocol: core.Protocol, value: core.Expr) -> core.Expr:
    """A study-level value by its formula, one name after another."""
    seen = set()
    while isinstance(value, core.Global) and (value.space, value.name) not in seen:
        seen.add((value.space, value.name))
        item = next((item for item in protocol.items if (item.space, item.name) == (value.space, value.name)), None)
        if item is None:
            break
        value = item.expr
    if isinstance(value, core.Entry):
        item = next((item for item in protocol.items if (item.space, item.name) == (value.space, value.name)), None)
        return item.expr if item is not None else value
    return value


def sizes(protocol: core.Protocol) -> dict[str, int]:
    """The tables whose number of rows is expected exactly."""
    found = {table.name: len(table.listed) for table in protocol.tables if table.kind == "listed"}
    for table in protocol.tables:
        for item in table.expect:
            test = item.expr
            if isinstance(test, core.Compare) and test.ops == ("==",):
                left, right = test.operands
                whole = isinstance(left, core.Aggregate) and left.function == "count"
                if whole and isinstance(left, core.Aggregate) and isinstance(right, core.Const):
                    rows = left.rows
                    if not (rows.where or rows.match) and isinstance(right.value, int):
                        found[rows.table] = right.value
    return found
