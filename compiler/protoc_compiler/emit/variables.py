"""Which row variables an expression reads, and how conditions fall apart."""

from __future__ import annotations

from protoc_compiler import core
from protoc_runtime.engine.names import CAPPED, CAPPED_OPTIONS, FAMILIES


def free(node: object) -> frozenset[str]:
    """The row variables that a tree reads and does not open itself."""
    if isinstance(node, core.RowVar):
        return frozenset((node.var,))
    if isinstance(node, (core.Type, core.Const, core.Global)):
        return frozenset()
    if isinstance(node, (tuple, list)):
        return frozenset().union(*map(free, node))
    fields = getattr(type(node), "__record_fields__", None)
    if fields is None:
        return frozenset()
    found = frozenset[str]().union(*(free(getattr(node, name)) for name in fields))
    opened = _opened(node)
    return found - {opened} if opened else found


def _opened(node: object) -> str:
    if isinstance(node, core.Rows):
        return node.var
    if isinstance(node, (core.Quantified, core.Aggregate, core.OneRow, core.InColumn)):
        return node.rows.var
    return ""


def can_stop(node: object) -> bool:
    """Whether a tree may find something in the rows that stops the run: it is then computed only where it is reached.
    Tables, columns and definitions that it names are computed in any case."""
    if isinstance(node, (tuple, list)):
        return any(map(can_stop, node))
    if isinstance(node, core.Cast) or (isinstance(node, core.OneRow) and node.function == "only"):
        return True
    if isinstance(node, core.Rows) and node.order:
        return True
    if isinstance(node, (core.Call, core.Aggregate)) and _function_can_stop(node):
        return True
    fields = getattr(type(node), "__record_fields__", ())
    return any(can_stop(getattr(node, name)) for name in fields if name not in ("type", "span"))


def _function_can_stop(call: core.Call | core.Aggregate) -> bool:
    if call.function in CAPPED or (isinstance(call, core.Call) and call.function in FAMILIES):
        return True
    given = dict(call.options).get(CAPPED_OPTIONS.get(call.function, ""))
    return given is not None and not isinstance(given, core.Const)


def equality(condition: core.Expr, var: str) -> tuple[core.Expr, core.Expr] | None:
    """(inner, outer) of an equation between something of the row `var` alone and something outside of it."""
    if not isinstance(condition, core.Compare) or condition.ops != ("==",):
        return None
    for inner, outer in (condition.operands, condition.operands[::-1]):
        if free(inner) == {var} and var not in free(outer) and free(outer):
            return inner, outer
    return None
