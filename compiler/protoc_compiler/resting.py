"""What the formulas of a protocol rest on: one `Evidence` for each protocol, and when an expectation can be checked."""

from __future__ import annotations

from collections.abc import Iterator

from protoc_compiler import core
from protoc_compiler.by_protocol import by_protocol
from protoc_compiler.core.tree import all_nodes
from protoc_runtime.evidence import Due, Evidence, Thing
from protoc_runtime.record import values_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@by_protocol
def evidence(protocol: core.Protocol) -> Evidence:
    """What everything in a protocol rests on."""
    return _OfTree(protocol)


def due(protocol: core.Protocol, formula: core.Expr) -> Due:
    """When everything is there that an expectation rests on."""
    return evidence(protocol).due(formula)


class _OfTree(Evidence):
    """The same of the resolved tree as of its canonical JSON, which takes four times as long to make as this to ask."""

    def __init__(self, protocol: core.Protocol) -> None:
        tables = [{**_fields(table), "columns": list(map(_fields, table.columns))} for table in protocol.tables]
        lists = {name: list(map(_fields, getattr(protocol, name))) for name in ("items", "intervals", "judgements")}
        super().__init__({"tables": tables, **lists})

    def _below(self, table: Any) -> str:
        return str(table["rows"].table)

    def _in(self, node: Any) -> Iterator[Thing]:
        if isinstance(node, (tuple, list)):
            for part in node:
                yield from self._in(part)
        elif isinstance(node, (core.Expr, core.Rows)):
            for part in all_nodes(node):
                yield from self._named(part)

    def _named(self, node: Any) -> Iterator[Thing]:
        match node:
            case core.Column():
                yield ("column", node.row.type.table, node.name)
            case core.Global() | core.Entry():
                yield ("freeze", node.name) if node.space == "freeze" else ("item", node.space, node.name)
            case core.Bound():
                yield ("interval", node.interval)
            case core.Rows():
                yield ("table", node.table)
                root = self._root(node.table)
                yield from (("column", root, match.column) for match in node.match)


def _fields(value: Any) -> dict[str, Any]:
    return dict(zip(type(value).__record_fields__, values_of(value), strict=True))
