"""Formulas about a row that do not depend on it: rows not narrowed to it, columns and entries that never read it."""

from __future__ import annotations

from protoc_compiler import core
from protoc_compiler.analysis.walk import written
from protoc_compiler.catalogue import names as kinds
from protoc_compiler.core.tree import parts
from protoc_compiler.elaborate.context import Context, Unreached
from protoc_runtime.diagnostics import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_COMPUTED = (core.Aggregate, core.Quantified, core.OneRow, core.Entry, core.Bound)


def check(protocol: core.Protocol, el: Context) -> None:
    """Report rows that only several references tie to a row in scope, and what is the same for all rows."""
    told = {item.formula for item in el.unreached if item.formula is not None and _not_narrowed(protocol, el, item)}
    for table in protocol.tables:
        for column in table.columns:
            if column.origin == "derived" and column.expr is not None:
                name = f"{table.name}.{column.name}"
                _row_is_read(protocol, el, column.expr, {"self": table.name}, (column.span, name), told)
    for item in protocol.items:
        rows = {f"per{at}": table for at, table in enumerate(item.per)}
        _row_is_read(protocol, el, item.expr, rows, (item.span, item.name), told)
    for value, span, _ in written(protocol, el):
        for part in parts(value):
            if isinstance(part, core.Quantified) and part.condition is not None:
                _condition_reads(el, part.rows, part.condition, el.place(part, span))
            elif isinstance(part, core.Aggregate):
                for arg in part.args:
                    _condition_reads(el, part.rows, arg, el.place(part, span))


def _not_narrowed(protocol: core.Protocol, el: Context, item: Unreached) -> bool:
    inside = parts(item.formula) if item.formula is not None else ()
    node = next((node for node in inside if getattr(node, "rows", None) == item.rows), None)
    values: dict[str, Any] = {"table": item.rows.table, "target": item.target, "path": item.path}
    if node is None:
        return False
    if item.by:
        if any(_follows(test, item) for test in item.rows.where):
            el.findings.add(kinds.NARROWED_TWICE, item.span, by=item.by, **values)
        return False
    if _follows(node, item) or any(item.row in parts(match.value) for match in item.rows.match):
        return False
    el.findings.add(kinds.NOT_NARROWED, item.span, key=protocol.table(item.target).key[0], **values)
    return True


def _follows(value: core.Expr, item: Unreached) -> bool:
    """Whether a formula reaches the table itself, by another way than the reference that narrows."""
    return any(
        isinstance(part, core.Column)
        and (part.type.kind, part.type.table) == ("row", item.target)
        and (part.name != item.by or isinstance(part.row, core.Column))
        for part in parts(value)
    )


def _row_is_read(
    protocol: core.Protocol, el: Context, value: core.Expr, rows: dict[str, str], place: tuple[Span | None, str],
    told: set[core.Expr],
) -> None:  # fmt: skip
    """A literal or frozen value may stand in each row; what is computed without the row hardly means to."""
    inside = parts(value)
    read = {part.var for part in inside if isinstance(part, core.RowVar)}
    unread = [table for var, table in rows.items() if var not in read]
    if unread and any(map(_computed, inside)) and not told.intersection(inside):
        el.findings.add(kinds.SAME_FOR_ALL, place[0] or el.spec.title.span, name=place[1], table=unread[0])


def _condition_reads(el: Context, rows: core.Rows, value: core.Expr, span: Span) -> None:
    """What is asked of each row, or summed over them, reads the row; a literal may stand for each."""
    inside = parts(value)
    read = {part.var for part in inside if isinstance(part, core.RowVar)}
    if rows.var not in read and any(map(_computed, inside)):
        el.findings.add(kinds.ROW_NOT_READ, span, table=rows.table)


def _computed(part: core.Expr) -> bool:
    return isinstance(part, _COMPUTED) or (isinstance(part, core.Global) and part.space != "freeze")
