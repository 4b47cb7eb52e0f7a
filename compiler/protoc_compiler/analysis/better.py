"""Limits on the worse side of a metric: a gate that asks for many failures, a blocker that fires on good results.

Only where there is no doubt: the limit must be kept by itself (no alternative of an `or`, which may be a guard), it is
no other metric, and the rule has no limit of the same metric on the other side, which would make a band.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from protoc_compiler import core
from protoc_compiler.catalogue import analysis as kinds
from protoc_compiler.core.tree import parts
from protoc_compiler.elaborate.context import Context
from protoc_runtime.diagnostics import Related, Span
from protoc_runtime.record import record

_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_TOWARDS = {">=": "higher", ">": "higher", "<=": "lower", "<": "lower"}
_SAID = {">=": "at least", ">": "more than", "<=": "at most", "<": "less than"}
_FOLLOWED = ("definitions", "metrics", "checks")


@record
class Limit:
    """A rule wants `metric` to be `op` its limit; `tree` is the comparison, `item` the named value it stands in."""

    metric: core.Item
    op: str
    tree: core.Compare
    item: core.Item


def check(protocol: core.Protocol, el: Context) -> None:
    """Report the limits of gates and blockers that stand on the worse side of their metric."""
    if not any(item.better for item in protocol.items):
        return
    limits = _Limits(protocol)
    for space in ("gates", "blockers"):
        for rule in protocol.of(space):
            for limit in _one_sided(list(limits.wanted(rule.expr, rule, space == "gates"))):
                if _TOWARDS[limit.op] != limit.metric.better:
                    _tell(el, rule, limit)


def _one_sided(found: list[Limit]) -> list[Limit]:
    sides: dict[str, set[str]] = {}
    for limit in found:
        sides.setdefault(limit.metric.name, set()).add(_TOWARDS[limit.op])
    return [limit for limit in found if len(sides[limit.metric.name]) == 1]


def _tell(el: Context, rule: core.Item, limit: Limit) -> None:
    fires = rule.space == "blockers"
    said = _SAID[_OPPOSITE[limit.op] if fires else limit.op]
    place = el.place(limit.tree, limit.item.span or el.spec.title.span)
    el.findings.add(
        kinds.WORSE_SIDE, place, related=[Related(_declared(el, limit.metric), f"{limit.metric.better} is better")],
        rule=f"{rule.space}.{rule.name}", asks="fires where" if fires else "asks that", metric=limit.metric.name,
        found=said, better=limit.metric.better,
    )  # fmt: skip


def _declared(el: Context, metric: core.Item) -> Span:
    """Where the metric says which of its values are better."""
    written = (item.better.span for item in el.spec.metrics.items if item.better and item.name.text == metric.name)
    return next(written, metric.span or el.spec.title.span)


class _Limits:
    """Finds what a condition wants of metrics, through names and negations."""

    def __init__(self, protocol: core.Protocol) -> None:
        self._protocol = protocol
        self._items = {(item.space, item.name): item for item in protocol.items}
        self._intervals = {interval.name: interval for interval in protocol.intervals}

    def wanted(self, value: core.Expr, item: core.Item, holds: bool) -> Iterator[Limit]:
        """The limits that are kept whenever `value` is true (or, without `holds`, false)."""
        if isinstance(value, core.Compare):
            yield from self._compared(value, item, holds)
        elif isinstance(value, core.And | core.Or):
            if len(value.parts) == 1 or isinstance(value, core.And) is holds:
                for part in value.parts:
                    yield from self.wanted(part, item, holds)
        elif isinstance(value, core.Not):
            yield from self.wanted(value.operand, item, not holds)
        elif isinstance(value, core.Is) and value.state in ("true", "false"):
            yield from self.wanted(value.operand, item, holds is (value.state == "true"))
        elif isinstance(value, core.Default | core.Cast):
            yield from self.wanted(value.operand, item, holds)
        elif isinstance(value, core.Quantified):
            yield from self._of_rows(value, item, holds)
        elif isinstance(value, core.Global | core.Entry) and value.space in _FOLLOWED:
            named = self._items.get((value.space, value.name))
            if named is not None:
                yield from self.wanted(named.expr, named, holds)

    def _of_rows(self, value: core.Quantified, item: core.Item, holds: bool) -> Iterator[Limit]:
        """What is wanted of every row; that some row has it may be wanted of a bad one, too."""
        every = value.quantifier == ("some" if not holds else "all") or (holds and value.quantifier == "no")
        if every and value.condition is not None:
            yield from self.wanted(value.condition, item, value.quantifier == "all")

    def _compared(self, value: core.Compare, item: core.Item, holds: bool) -> Iterator[Limit]:
        if not holds and len(value.ops) > 1:
            return  # outside of a band: on either side
        for left, op, right in zip(value.operands, value.ops, value.operands[1:], strict=False):
            if op not in _FLIPPED:
                continue
            for measured, limit, towards in ((left, right, op), (right, left, _FLIPPED[op])):
                found = self._metric(measured)
                if found is not None and self._constant(limit):
                    metric, turned = found
                    wanted = towards if holds else _OPPOSITE[towards]
                    yield Limit(metric, _FLIPPED[wanted] if turned else wanted, value, item)

    def _metric(self, value: core.Expr) -> tuple[core.Item, bool] | None:
        """The metric with a direction that a value rises with, or falls with (True)."""
        if isinstance(value, core.Default | core.Cast):
            return self._metric(value.operand)
        if isinstance(value, core.Negative):
            return _turned(self._metric(value.operand))
        if isinstance(value, core.Arithmetic):
            return self._calculated(value)
        if isinstance(value, core.Bound):
            interval = self._intervals.get(value.interval)
            named = interval and value.which in ("low", "high") and self._items.get(("metrics", interval.metric))
        else:
            named = self._named(value)
        if not named:
            return None
        return (named, False) if named.better else self._metric(named.expr)

    def _named(self, value: core.Expr) -> core.Item | None:
        """The item that a value is: by its name, an entry of it, or a column of groups that computes it."""
        if isinstance(value, core.Global | core.Entry):
            return self._items.get((value.space, value.name)) if value.space in _FOLLOWED else None
        if isinstance(value, core.Column) and value.row.type.kind == "row":
            column = self._protocol.table(value.row.type.table).column(value.name)
            return self._items.get(("metrics", value.name)) if column and column.origin == "metric" else None
        return None

    def _calculated(self, value: core.Arithmetic) -> tuple[core.Item, bool] | None:
        """A metric plus, minus or times a number, and a number minus a metric."""
        left, op, right = value.left, value.op, value.right
        if op in ("+", "-") and self._constant(right):
            return self._metric(left)
        if op in ("+", "-") and self._constant(left):
            return _turned(self._metric(right)) if op == "-" else self._metric(right)
        if op in ("*", "/") and _positive(right):
            return self._metric(left)
        return self._metric(right) if op == "*" and _positive(left) else None

    def _constant(self, value: core.Expr) -> bool:
        """Whether nothing that is measured is read: literals, frozen values, cells of tables in the spec."""
        return all(self._fixed(part) for part in parts(value))

    def _fixed(self, part: core.Expr) -> bool:
        if isinstance(part, core.Global | core.Entry):
            named = self._items.get((part.space, part.name)) if part.space == "definitions" else None
            return part.space == "freeze" or (named is not None and self._constant(named.expr))
        if isinstance(part, core.Column):
            return part.row.type.kind == "row" and self._protocol.table(part.row.type.table).kind == "listed"
        return isinstance(part, core.Const | core.RowVar | core.Negative | core.Arithmetic | core.Cast)


def _turned(found: tuple[core.Item, bool] | None) -> tuple[core.Item, bool] | None:
    return None if found is None else (found[0], not found[1])


def _positive(value: core.Expr) -> bool:
    number = value.value if isinstance(value, core.Const) else None
    return isinstance(number, int | Fraction) and not isinstance(number, bool) and number > 0
