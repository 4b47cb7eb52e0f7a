"""Bands: lines of a first-match list that compare one value with constants, and that earlier lines cover wholly."""

from __future__ import annotations

from fractions import Fraction

from protoc_compiler import core
from protoc_compiler.analysis.thresholds import against_constant
from protoc_compiler.analysis.walk import written
from protoc_compiler.catalogue import analysis as kinds
from protoc_compiler.core.tree import parts
from protoc_compiler.elaborate.context import Context

# a stretch of numbers: (low, low is in), (high, high is in); None is without bound
Stretch = tuple[tuple[Fraction | None, bool], tuple[Fraction | None, bool]]


def check(protocol: core.Protocol, el: Context) -> None:
    """Report bands that are never reached."""
    for value, span, _ in written(protocol, el):
        for part in parts(value):
            if isinstance(part, core.Choose):
                for test in _covered(part):
                    reason = "the bands before it cover this one"
                    el.findings.add(kinds.UNREACHABLE, el.place(test, span), reason=reason)


def _covered(value: core.Choose) -> list[core.Expr]:
    seen: dict[core.Expr, list[Stretch]] = {}
    found = []
    for test, _ in value.lines:
        found_band = band(test)
        if found_band is None:
            continue
        operand, stretch = found_band
        if any(within(stretch, earlier) for earlier in seen.get(operand, [])):
            found.append(test)
        seen.setdefault(operand, []).append(stretch)
    return found


def band(test: core.Expr) -> tuple[core.Expr, Stretch] | None:
    """What a condition compares with constants, and the numbers for which it is true; None for any other."""
    if isinstance(test, core.InRange):
        low, high = test.low, test.high
        if isinstance(low, core.Const) and isinstance(high, core.Const):
            ends = (low.value, high.value)
            if all(isinstance(end, (int, Fraction)) and not isinstance(end, bool) for end in ends):
                return test.item, ((Fraction(ends[0]), True), (Fraction(ends[1]), True))  # type: ignore[arg-type]
        return None
    if not isinstance(test, core.Compare) or len(test.ops) != 1:
        return None
    compared = against_constant(test.operands[0], test.ops[0], test.operands[1])
    if compared is None:
        return None
    operand, op, constant = compared
    free: tuple[Fraction | None, bool] = (None, False)
    stretch = {
        ">": ((constant, False), free),
        ">=": ((constant, True), free),
        "<": (free, (constant, False)),
        "<=": (free, (constant, True)),
        "==": ((constant, True), (constant, True)),
    }.get(op)
    return (operand, stretch) if stretch is not None else None


def within(inner: Stretch, outer: Stretch) -> bool:
    """Whether a stretch lies in another."""
    (low, low_in), (high, high_in) = inner
    (outer_low, outer_low_in), (outer_high, outer_high_in) = outer
    below = outer_low is None or (
        low is not None and (low > outer_low or (low == outer_low and (outer_low_in or not low_in)))
    )
    above = outer_high is None or (
        high is not None and (high < outer_high or (high == outer_high and (outer_high_in or not high_in)))
    )
    return below and above


def meet(one: Stretch, other: Stretch) -> bool:
    """Whether some number lies in both."""
    for (low, low_in), (high, high_in) in ((one[0], other[1]), (other[0], one[1])):
        if low is not None and high is not None and (low > high or (low == high and not (low_in and high_in))):
            return False
    return True


def everything(one: Stretch, other: Stretch) -> bool:
    """Whether each number lies in one of the two."""
    return _covers(one, other) or _covers(other, one)


def _covers(upward: Stretch, downward: Stretch) -> bool:
    ((low, low_in), (end, _)), ((start, _), (high, high_in)) = upward, downward
    if end is not None or start is not None:
        return False
    return low is None or high is None or low < high or (low == high and (low_in or high_in))
