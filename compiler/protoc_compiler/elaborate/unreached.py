"""Rows that look as if they belonged to the row in scope and do not: narrowing follows one reference, not several, and
no reference that two tables share."""

from __future__ import annotations

from collections.abc import Iterator

from protoc_compiler import core
from protoc_compiler.catalogue import names as kinds
from protoc_compiler.core.tree import parts
from protoc_compiler.elaborate.context import Context, Scope, Unreached
from protoc_compiler.elaborate.references import references
from protoc_runtime.diagnostics import Span
from protoc_runtime.record import replace


def note(el: Context, made: core.Rows, scope: Scope, span: Span) -> None:
    """Remember rows that several references tie to a row in scope; the whole formula tells whether that was seen."""
    root = el.table(made.table, span).root
    direct = {target: column for column, target in references(el, root)}
    seen = {root}
    for frame in reversed(scope):
        if frame.alias or frame.root in seen:
            continue
        seen.add(frame.root)
        by = direct.get(frame.root, "")
        path = next(_paths(el, root, frame.root, made.narrowed), None)
        if path is not None and (by in made.narrowed or not by):
            el.unreached.append(Unreached(made, frame.row, frame.root, path, by, span))


def _paths(el: Context, root: str, target: str, narrowed: tuple[str, ...]) -> Iterator[str]:
    """Ways of several references from one table to another; shortest first, none through a row that narrows."""
    open_ = [(column, table) for column, table in references(el, root) if column not in narrowed]
    seen = {root}
    while open_:
        path, table = open_.pop(0)
        if table in seen:
            continue
        seen.add(table)
        for column, further in references(el, table):
            if further == target:
                yield f"{path}.{column}"
            open_.append((f"{path}.{column}", further))


def half_matched(el: Context, made: core.Rows, span: Span) -> None:
    """Report rows that equal the row in scope in some columns, but not in a reference which both of them have."""
    root = el.table(made.table, span).root
    matched = [match.column for match in made.match]
    rows = {match.value.row.type.table for match in made.match if isinstance(match.value, core.Column)} - {root}
    if not rows or set(el.table(root, span).key) <= set(matched):
        return  # a whole key leaves one row
    read = {
        part.name for test in made.where for part in parts(test)
        if isinstance(part, core.Column) and part.row == core.RowVar(core.Type("row", table=root), made.var)
    }  # fmt: skip
    for column, target in references(el, root):
        other = next((table for table in sorted(rows) if (column, target) in references(el, table)), None)
        if other is not None and column not in (*matched, *made.narrowed, *read):
            words = " and ".join(matched)
            el.findings.add(kinds.HALF_MATCHED, span, table=made.table, matched=words, other=other, column=column)


def bind(el: Context, value: core.Expr, before: int) -> None:
    """Say of the rows noted since `before` in which formula they stand."""
    el.unreached[before:] = [replace(item, formula=item.formula or value) for item in el.unreached[before:]]
