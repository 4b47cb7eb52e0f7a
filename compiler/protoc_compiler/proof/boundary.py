"""The least counts that satisfy a gate, and how sure a system at that boundary can be."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil, floor, sqrt

from protoc_compiler import core
from protoc_compiler.proof import nodes as n
from protoc_compiler.proof.ask import Engine
from protoc_compiler.proof.facts import Facts
from protoc_compiler.proof.space import Number, Within
from protoc_runtime.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

_Z = 1.959963984540054  # of 95 %


@record
class Boundary:
    """`at least 87 of 96`. `each`: of each group. `total` is None where the divisor is not sealed: then `needs` is the
    least divisor with which anything but a perfect score passes. `low` and `high`: Wilson's interval of the share at
    the boundary, 95 %."""

    side: Literal["at least", "at most"]
    count: int | None
    total: int | None
    each: str = ""
    needs: int | None = None
    low: float | None = None
    high: float | None = None

    def text(self) -> str:
        """The words."""
        if self.count is not None and self.total is not None:
            sure = "" if self.low is None else f" (95 % interval of that share: {self.low:.4f} to {self.high:.4f})"
            return f"{self.side} {self.count} of {self.total}{f' in each of {self.each}' if self.each else ''}{sure}"
        if self.needs is not None:
            return f"its divisor is not sealed: with fewer than {self.needs} only a perfect score passes"
        return "its divisor is not sealed"


def boundary(facts: Facts, item: core.Item) -> Boundary | None:
    """The boundary of a gate that compares one share or count with a constant; None for another."""
    value, within, each = facts.side.closing.item(item.space, item.name), None, ""
    if isinstance(value, core.Quantified) and value.quantifier == "all" and value.condition is not None:
        if value.rows.table not in facts.space.groupings:
            return None
        within, each = Within(value.rows.table, value.rows.var), _groups_name(facts, value.rows.table)
        value = value.condition
    if not (isinstance(value, core.Compare) and value.ops[0] in ("<", "<=") and len(value.ops) == 1):
        return None
    left, right = value.operands
    constant, other, least = (left, right, True) if isinstance(left, core.Const) else (right, left, False)
    if not isinstance(constant, core.Const) or isinstance(constant.value, (bool, str)) or constant.value is None:
        return None
    number = facts.side.translator.number(other, within)
    if number is None or not isinstance(constant.value, (int, Fraction)):
        return None
    total = _divisor(facts.engine_for(facts.side.good(item.space, item.name)), number, within)
    return _bounded(number, total, Fraction(constant.value), (least, value.ops[0] == "<"), each)


def _groups_name(facts: Facts, name: str) -> str:
    own = [
        table.name
        for table in facts.protocol.tables
        if table.kind == "grouped" and facts.side.closing.named(table.name) == name
    ]
    return own[0] if own else "the groups"


def _bounded(
    number: Number, total: Fraction | None, limit: Fraction, kind: tuple[bool, bool], each: str
) -> Boundary | None:
    least, strict = kind
    side: Literal["at least", "at most"] = "at least" if least else "at most"
    plain = all(len(monomial) == 1 and factor > 0 for monomial, factor in number.above)
    if not plain or not number.above:  # of what cancels out nothing is counted
        return None
    if total is None:
        needs = ceil(1 / (1 - limit)) if least and 0 < limit < 1 else None
        return Boundary(side, None, None, each, needs)
    exact = limit * total
    count = ceil(exact) if least else floor(exact)
    if strict and exact.denominator == 1:
        count += 1 if least else -1
    scale = sum(factor for _, factor in number.above) / len(number.above)
    count = ceil(count / scale) if least else floor(count / scale)
    if total == 1:
        return Boundary(side, count, None, each) if number.below != (((), Fraction(1)),) else None
    low, high = wilson(count, int(total)) if 0 <= count <= total else (None, None)
    return Boundary(side, count, int(total), each, None, low, high)


def _divisor(engine: Engine | None, number: Number, within: Within | None) -> Fraction | None:
    """The divisor, where it is a number, sealed, or expected."""
    if all(not monomial for monomial, _ in number.below):
        return sum((factor for _, factor in number.below), Fraction(0))
    if engine is None or any(len(monomial) > 1 for monomial, _ in number.below):
        return None
    if within is None:
        total: n.Terms = {}
        for monomial, factor in number.below:
            if monomial and monomial[0] not in engine.model.counts:
                return None
            part = engine.model.counts[monomial[0]] if monomial else n.constant(1)
            total = n.plus(total, part, factor)
        return _number(total, engine)
    groups = engine.groups
    if groups is None or groups.grouping != within.grouping or any(not monomial for monomial, _ in number.below):
        return None
    shares = {sum(f for monomial, f in number.below if monomial[0] in symbols) for symbols in groups.classes}
    return Fraction(next(iter(shares))) * groups.size if len(shares) == 1 else None


def _number(total: n.Terms, engine: Engine) -> Fraction | None:
    """The number that a sum of counts is, by itself or since parts of it are expected to be so large."""
    left = dict(total)
    for equal in _expected(engine):  # each is 0
        shares = {left.get(monomial, Fraction(0)) / factor for monomial, factor in equal.items() if monomial}
        if len(shares) == 1:
            left = n.plus(left, equal, -shares.pop())
    return None if any(left) else left.get((), Fraction(0))


def _expected(engine: Engine) -> Iterator[n.Terms]:
    """What is expected of counts to be equal, as sums that are 0; first what there is nothing of."""
    counts = engine.model.counts
    for poly in sorted(engine.model.equal(), key=lambda poly: any(not monomial for monomial, _ in poly)):
        if all(len(monomial) < 2 and set(monomial) <= counts.keys() for monomial, _ in poly):
            made: n.Terms = {}
            for monomial, factor in poly:
                made = n.plus(made, counts[monomial[0]] if monomial else n.constant(1), factor)
            yield made


def wilson(hits: int, total: int) -> tuple[float, float]:
    """Wilson (1927): the 95 % score interval of a share."""
    share, square = hits / total, _Z * _Z / total
    middle = (share + square / 2) / (1 + square)
    half = _Z / (1 + square) * sqrt(share * (1 - share) / total + square / (4 * total))
    return max(0.0, middle - half), min(1.0, middle + half)


__all__ = ["Boundary", "boundary", "wilson"]
