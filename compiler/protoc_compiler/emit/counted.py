"""Which tables can be scored from counts: one row per combination of the columns that formulas read, and its number.

A study of millions of rows often asks only how many rows there are of each kind. Where that is proved here, a table
is read and evaluated as a small cube with weights. The proof: rows of the table are told apart by nothing but the
values of those columns. So no reference leads to the table, no formula orders its rows, takes one of them out, lists
them, or uses a row other than to read a column, and every aggregate over it is one that counts a row with weight n
as n equal rows. Whatever is not known to be harmless keeps its rows.
"""

from __future__ import annotations

from collections.abc import Iterator

from protoc_compiler import core

# aggregates whose value depends on the values of the rows and how often each occurs, not on their order
_COUNTING = frozenset(
    ("count", "sum", "mean", "rate", "min", "max", "distinct", "median", "quantile", "p95", "variance", "mcnemar",
     "auc", "correlation", "digest")
)  # fmt: skip
_FEW_VALUES = ("bool", "enum")  # kinds of which a column has few values; references to listed rows are others


def counted(protocol: core.Protocol) -> dict[str, tuple[str, ...]]:
    """The tables that can be scored from counts, each with the stored columns that formulas read, in declared order."""
    if protocol.intervals:  # a draw takes single rows
        return {}
    found = _Reads(protocol)
    made = {}
    for table in protocol.tables:
        if table.name in found.kept or table.kind != "input" or table.record:
            continue
        read = [column for column in table.columns if column.expr is None and column.name in found.columns[table.name]]
        if all(_few_values(protocol, column.type) for column in read):
            made[table.name] = tuple(column.name for column in read)
    return made


def _few_values(protocol: core.Protocol, kind: core.Type) -> bool:
    listed = kind.kind == "row" and protocol.table(kind.table).kind == "listed"
    return listed or kind.kind in _FEW_VALUES


class _Reads:
    """What formulas read of each root table: `columns`, and in `kept` the tables whose rows must stay apart."""

    def __init__(self, protocol: core.Protocol) -> None:
        self.roots = {table.name: table.root for table in protocol.tables}
        self.columns: dict[str, set[str]] = {table.name: set() for table in protocol.tables}
        self.kept: set[str] = set()
        for table in protocol.tables:
            self._table(table)
        for item in protocol.items:
            for name in item.per:
                self._keep(name)
            self._visit((item.expr, item.withheld, item.parts))

    def _table(self, table: core.Table) -> None:
        """What the declaration of a table needs of itself and of others."""
        if table.order not in ((), ("file",)):
            self._keep(table.name)
        if table.kind not in ("input", "subset", "grouped", "listed"):
            for part in (*table.parts, table.parent, table.rows.table if table.rows is not None else ""):
                self._keep(part)
        if table.rows is not None:
            self._visit(table.rows)
            if table.kind == "grouped":
                self.columns[self._root(table.rows.table)].update(table.group)
        for column in table.columns:
            self._keep(_target(column.type))
            self._visit(column.expr)
        for item in table.expect:
            self._visit((item.expr, item.withheld, item.parts))

    def _root(self, table: str) -> str:
        return self.roots.get(table, table)

    def _keep(self, table: str) -> None:
        if table:
            self.kept.add(self._root(table))

    def _visit(self, node: object) -> None:
        if isinstance(node, tuple):
            for part in node:
                self._visit(part)
            return
        if isinstance(node, core.Column) and isinstance(node.row, core.RowVar):
            self.columns[node.row.type.table].add(node.name)
            return  # the row itself is not used further
        if isinstance(node, core.RowVar):
            self._keep(node.type.table)
        elif isinstance(node, core.Rows):
            self._rows(node)
        elif isinstance(node, core.OneRow) or (isinstance(node, core.Aggregate) and node.function not in _COUNTING):
            self._keep(node.rows.table)
        for part in _parts(node):
            self._visit(part)

    def _rows(self, rows: core.Rows) -> None:
        if rows.table not in self.roots:  # the rules themselves, as in `all gates have held`
            return
        if rows.scope != "all" or rows.order:
            self._keep(rows.table)
        self.columns[self._root(rows.table)].update(match.column for match in rows.match)


def _target(kind: core.Type) -> str:
    """The table to which a column, or the items of its cells, refer."""
    inner = kind.item or kind
    return inner.table if inner.kind == "row" else ""


def _parts(node: object) -> Iterator[object]:
    for name in getattr(type(node), "__record_fields__", ()):
        if name not in ("type", "span"):
            yield getattr(node, name)
