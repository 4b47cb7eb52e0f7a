"""One thing said twice: two names for one formula, and what is compared or joined with itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from protoc_compiler import core
from protoc_compiler.analysis.shapes import shape
from protoc_compiler.analysis.walk import written
from protoc_compiler.catalogue import analysis as kinds
from protoc_compiler.core.tree import parts
from protoc_compiler.elaborate.context import Context
from protoc_runtime.diagnostics import Related, Span

_SHORT = (core.Const, core.Global, core.Entry, core.Column, core.RowVar, core.ListOf)  # a name for a name
_OF_TWO = ("auc", "mcnemar", "correlation", "spearman", "sign_test", "cohen_kappa", "brier", "ece")
_VALUES = ("definitions", "metrics")
_RULES = ("gates", "blockers", "checks")


def check(protocol: core.Protocol, el: Context) -> None:
    """Report what is the same where two different things are expected."""
    _names(protocol, el)
    for value, span, _ in written(protocol, el):
        for part in parts(value):
            twin = _itself(part)
            if twin is not None:
                el.findings.add(kinds.WITH_ITSELF, el.place(part, span), what=twin)


def _names(protocol: core.Protocol, el: Context) -> None:
    like: dict[object, list[tuple[str, core.Expr, Span]]] = {}  # only what is of one size can be the same
    for place, name, value, span in _named(protocol, el):
        inside = list(parts(value))
        if not all(isinstance(part, _SHORT) for part in inside):
            like.setdefault((place, type(value), len(inside)), []).append((name, value, span))
    for found in like.values():
        if len(found) > 1:
            _told(found, el)


def _told(found: list[tuple[str, core.Expr, Span]], el: Context) -> None:
    seen: dict[str, tuple[str, Span]] = {}
    for name, value, span in found:
        first = seen.setdefault(shape(value), (name, span))
        if first[0] != name:
            related = (Related(first[1], f"`{first[0]}`"),)
            el.findings.add(kinds.SAME_FORMULA, span, related=related, name=name, other=first[0])


def _named(protocol: core.Protocol, el: Context) -> Iterator[tuple[object, str, core.Expr, Span]]:
    """(where it stands, name, formula, place) of everything whose formula two names may share by mistake."""
    fallback = el.spec.title.span
    for table in protocol.tables:
        for column in table.columns:
            if column.expr is not None and column.origin == "derived":
                yield table.name, f"{table.name}.{column.name}", column.expr, column.span or fallback
    for item in protocol.items:
        if item.space in _VALUES:
            yield item.per, item.name, item.expr, item.span or fallback
        elif item.space in _RULES and not (item.space == "gates" and _is_threshold(item.expr)):
            yield (item.space, item.per), f"{item.space}.{item.name}", item.expr, item.span or fallback


def _is_threshold(value: core.Expr) -> bool:
    """Gates that compare one value are looked at as thresholds, which tells more (W0805)."""
    return isinstance(value, core.Compare) and len(value.ops) == 1


def _itself(value: core.Expr) -> str | None:
    """What stands beside its like, in words."""
    if isinstance(value, core.Compare):
        pairs = zip(value.operands, value.operands[1:], strict=False)
        return "both sides of a comparison" if any(_same(one, other) for one, other in pairs) else None
    if isinstance(value, core.Arithmetic) and value.op in ("-", "/"):
        return f"both sides of `{value.op}`" if _same(value.left, value.right) else None
    if isinstance(value, (core.And, core.Or)):
        joined = "and" if isinstance(value, core.And) else "or"
        return f"two conditions joined by `{joined}`" if _twice(value.parts) else None
    if isinstance(value, core.Aggregate) and value.function in _OF_TWO:
        return f"the operands of `{value.function}`" if _same(*value.args[:2]) else None
    return None


def _twice(conditions: tuple[core.Expr, ...]) -> bool:
    """Whether two of these are alike. Hundreds of gates are joined by `and`: no pair of them is looked at."""
    many = Counter(map(type, conditions))
    shapes = [(type(each), shape(each)) for each in conditions if many[type(each)] > 1]
    return len(set(shapes)) < len(shapes)


def _same(one: core.Expr, other: core.Expr) -> bool:
    return not isinstance(one, core.Const) and _alike(one, other)


def _alike(one: core.Expr, other: core.Expr) -> bool:
    return type(one) is type(other) and shape(one) == shape(other)
