"""What puts values in order by the order of words or listed rows, so that another order there is another result.

Whatever only asks whether two words are the same, or counts different ones, reads nothing of their order.
"""

from __future__ import annotations

from collections.abc import Iterator

from protoc_compiler import core
from protoc_compiler.core.tree import all_nodes
from protoc_compiler.drift.reads import Thing

_BY_THEMSELVES = frozenset(("bool", "int", "number", "real", "quantity", "time", "date"))  # types with an order
_ORDERING = frozenset(("<", "<=", ">", ">="))
_EXTREMES = ("min", "max", "sign_test", "digest")


def ranking(protocol: core.Protocol) -> frozenset[Thing]:
    """The tables, columns, values and draws of a protocol that read an order of words or rows by themselves."""
    return frozenset(_ranking(protocol))


def _ranking(protocol: core.Protocol) -> Iterator[Thing]:
    for table in protocol.tables:
        yield ("order", table.name)
        if table.sample is not None or _ranks(table.rows):
            yield ("table", table.name)
        yield from (("column", table.name, column.name) for column in table.columns if _ranks(column.expr))
        yield from (("expect", table.name, item.name) for item in table.expect if _ranks(item.expr))
    for item in protocol.items:
        if _ranks((item.expr, item.withheld, item.parts)):
            yield ("item", item.space, item.name)
    yield from (("interval", drawn.name) for drawn in protocol.intervals)  # strata are drawn in their order


def _ranks(value: object) -> bool:
    """Whether a formula, or a part of one, orders what has no order by itself."""
    if isinstance(value, tuple):
        return any(map(_ranks, value))
    if not isinstance(value, (core.Expr, core.Rows)):
        return False
    return any(_orders(node) for node in all_nodes(value))


def _orders(node: object) -> bool:
    match node:
        case core.Rows():
            return _open(node.order)
        case core.Compare():
            return not _ORDERING.isdisjoint(node.ops) and _open(node.operands)
        case core.InRange():
            return _open((node.item, node.low, node.high))
        case core.Aggregate(_, function, _, args, _) | core.Call(_, function, args, _):
            return function in _EXTREMES and (not args or _open(args))
    return False


def _open(values: tuple[core.Expr, ...]) -> bool:
    return any(value.type.kind not in _BY_THEMSELVES for value in values)


__all__ = ["ranking"]
