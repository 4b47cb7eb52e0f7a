"""The elaborator: every name on demand, once, with circles found on the way."""

from __future__ import annotations

from collections.abc import Callable

from protoc_compiler import core, suggest, syntax
from protoc_compiler.catalogue import names as kinds
from protoc_compiler.elaborate import declared, defined, expressions, items, rows
from protoc_compiler.elaborate.context import Context, Fault, Scope
from protoc_compiler.names import ItemName, Names
from protoc_compiler.spec import RecordDecl, Spec, TableDecl, Text
from protoc_runtime.diagnostics import Findings, Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    T = TypeVar("T")


class Elaborator(Context):
    """Wires the parts together and remembers what was made."""

    def __init__(self, spec: Spec, names: Names, findings: Findings) -> None:
        super().__init__(spec, names, findings)
        self._tables: dict[str, core.Table | None] = {}
        self._columns: dict[tuple[str, str], core.Col | None] = {}
        self._items: dict[tuple[str, str], core.Item | None] = {}
        self._open: list[str] = []

    def expr(self, tree: syntax.Expr, scope: Scope, expect: core.Type | None = None) -> core.Expr:
        """See `Context`."""
        return expressions.expr(self, tree, scope, expect)

    def rows(self, tree: syntax.Expr, scope: Scope) -> tuple[core.Rows, Scope]:
        """See `Context`."""
        return rows.rows(self, tree, scope)

    def is_rows(self, tree: syntax.Expr, scope: Scope) -> bool:
        """See `Context`."""
        return rows.is_rows(self, tree, scope)

    def table(self, name: str, span: Span) -> core.Table:
        """See `Context`."""
        if name not in self._tables:
            self._tables[name] = self._guarded(name, span, lambda: self._table(name, span))
        made = self._tables[name]
        if made is None:
            raise Fault
        return made

    def named_table(self, name: Text) -> core.Table:
        """The table that a section names, which counts as used. Raises Fault where there is none (E0304 is told)."""
        if not self.names.is_table(name.text):
            hint = suggest.hint(name.text, self.names.table_names())
            self.fault(kinds.UNKNOWN_TABLE, name.span, name=name.text, hint=hint)
        self.used.add(name.text)
        return self.table(name.text, name.span)

    def _table(self, name: str, span: Span) -> core.Table:
        if name in self.names.defined:
            return defined.table(self, self.names.defined[name])
        found = self.names.declared.get(name)
        if isinstance(found, TableDecl):
            return declared.table(self, found)
        if isinstance(found, RecordDecl):
            return declared.record_table(self, found)
        if name == "splits":
            return declared.splits(self)
        owner, _, column = name.rpartition(".")
        parent = self.names.declared[owner]
        nested = next(item for item in parent.columns if item.name.text == column)
        return declared.nested(self, self.table(owner, span), nested)

    def column(self, root: str, name: str) -> core.Col | None:
        """See `Context`."""
        table = self.table(root, self.spec.title.span)
        found = table.column(name)
        if found is not None:
            return found
        key = (root, name)
        if key not in self._columns:
            known = self._columns_of(root)
            if name not in known and table.kind != "stack":
                return None
            place = self._place(root, name)
            self._columns[key] = self._guarded(f"{root}.{name}", place, lambda: defined.column(self, table, name))
            if self._columns[key] is None and name in known:
                raise Fault
        made = self._columns[key]
        if made is None and name in self._columns_of(root):
            raise Fault
        return made

    def _columns_of(self, root: str) -> set[str]:
        known = set(self.names.columns.get(root, {}))
        if root in self.names.defined:
            known |= {item.text for item in self.names.defined[root].with_metrics}
        return known

    def _place(self, root: str, name: str) -> Span:
        source = self.names.columns.get(root, {}).get(name)
        return source.name.span if source is not None else self.spec.title.span

    def item(self, name: ItemName) -> core.Item:
        """See `Context`."""
        key = (name.space, name.name)
        if key not in self._items:
            self._items[key] = self._guarded(name.name, name.span, lambda: items.item(self, name))
        made = self._items[key]
        if made is None:
            raise Fault
        return made

    def _guarded(self, name: str, span: Span, make: Callable[[], T]) -> T | None:
        if name in self._open:
            path = " -> ".join([*self._open[self._open.index(name) :], name])
            self.fault(kinds.CIRCULAR, span, name=name, path=path)
        self._open.append(name)
        count = self.restart()
        try:
            return make()
        except Fault:
            return None
        finally:
            self.restart(count)
            self._open.pop()
