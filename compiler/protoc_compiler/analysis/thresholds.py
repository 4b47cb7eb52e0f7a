"""Comparisons that no data can satisfy or break, and gates that another one implies."""

from __future__ import annotations

from fractions import Fraction

from protoc_compiler import core
from protoc_compiler.analysis.bounds import Bounds, bounds, ranged
from protoc_compiler.analysis.walk import written
from protoc_compiler.catalogue import analysis as kinds
from protoc_compiler.core.tree import parts
from protoc_compiler.elaborate.context import Context
from protoc_runtime.diagnostics import Kind, Span

_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


def check(protocol: core.Protocol, el: Context) -> None:
    """Impossible and vacuous comparisons everywhere; implied gates."""
    for value, span, _ in written(protocol, el):
        for part in parts(value):
            if isinstance(part, core.Compare):
                _comparison(protocol, el, part, el.place(part, span))
    _implied(protocol, el)


def _comparison(protocol: core.Protocol, el: Context, value: core.Compare, span: Span) -> None:
    for index, op in enumerate(value.ops):
        found = against_constant(value.operands[index], op, value.operands[index + 1])
        if found is None:
            _apart(protocol, el, value.operands[index], op, value.operands[index + 1], span)
            continue
        operand, one_op, constant = found
        known = bounds(protocol, operand)
        kind = _judged(known, one_op, constant)
        if kind is not None:
            el.findings.add(
                kind, span, what="the value on one side", bounds=_spoken(known), hint=_hint(known, constant)
            )


def _apart(protocol: core.Protocol, el: Context, left: core.Expr, op: str, right: core.Expr, span: Span) -> None:
    """Two values whose ranges do not meet, such as a share and a listed threshold of 80."""
    if isinstance(left, core.Const) or isinstance(right, core.Const):
        return
    (low, high), (other_low, other_high) = known = ranged(protocol, left), ranged(protocol, right)
    below = high is not None and other_low is not None and high < other_low
    above = low is not None and other_high is not None and low > other_high
    never = {">=": below, ">": below, "<=": above, "<": above, "==": below or above}.get(op, False)
    always = {">=": above, ">": above, "<=": below, "<": below, "!=": below or above}.get(op, False)
    if never or always:
        kind = kinds.NEVER_TRUE if never else kinds.ALWAYS_TRUE
        told = f"{_spoken(known[0])}, that on the other {_spoken(known[1])}"
        hint = _hint(known[0], other_low if other_low is not None else Fraction(0))
        el.findings.add(kind, span, what="the value on one side", bounds=told, hint=hint)


def against_constant(left: core.Expr, op: str, right: core.Expr) -> tuple[core.Expr, str, Fraction] | None:
    """A comparison with a literal number, the literal on the right, or None."""
    if isinstance(left, core.Const) and not isinstance(right, core.Const):
        left, right, op = right, left, _FLIPPED[op]
    value = right.value if isinstance(right, core.Const) else None
    if isinstance(left, core.Const) or isinstance(value, bool) or not isinstance(value, (int, Fraction)):
        return None
    return left, op, Fraction(value)


def _judged(known: Bounds, op: str, constant: Fraction) -> Kind | None:
    low, high = known
    below = low is not None and constant < low
    above = high is not None and constant > high
    at_low, at_high = low is not None and constant == low, high is not None and constant == high
    point = at_low and at_high
    never = {
        ">=": above, ">": above or at_high, "<=": below, "<": below or at_low, "==": below or above, "!=": point,
    }[op]  # fmt: skip
    always = {
        ">=": below or at_low, ">": below, "<=": above or at_high, "<": above, "==": point, "!=": below or above,
    }[op]  # fmt: skip
    return kinds.NEVER_TRUE if never else kinds.ALWAYS_TRUE if always else None


def _spoken(known: Bounds) -> str:
    low, high = known
    if low is not None and high is not None:
        return f"between {_short(low)} and {_short(high)}"
    return f"at least {_short(low)}" if low is not None else f"at most {_short(high or Fraction(0))}"


def _short(value: Fraction) -> str:
    return str(value.numerator) if value.denominator == 1 else f"{float(value):g}"


def _hint(known: Bounds, constant: Fraction) -> str:
    if known == (Fraction(0), Fraction(1)) and 1 < constant <= 100:
        return f"a share lies between 0 and 1: did you mean {_short(constant)}%?"
    return "check the threshold and the direction of the comparison"


def _implied(protocol: core.Protocol, el: Context) -> None:
    seen: dict[core.Expr, list[tuple[str, Fraction, core.Item]]] = {}  # by what is compared
    for gate in protocol.of("gates"):
        value = gate.expr
        if isinstance(value, core.Compare) and len(value.ops) == 1:
            found = against_constant(value.operands[0], value.ops[0], value.operands[1])
            if found is not None:
                seen.setdefault(found[0], []).append((*found[1:], gate))
    for alike in seen.values():
        for place, (op, constant, gate) in enumerate(alike):
            by = next(
                (
                    other_gate
                    for at, (other_op, other, other_gate) in enumerate(alike)
                    if at != place and _weaker(op, constant, other_op, other)
                    if (op, constant) != (other_op, other) or at < place  # of two that are the same, the first stays
                ),
                None,
            )
            if by is not None:
                el.findings.add(kinds.IMPLIED, gate.span or el.spec.title.span, name=gate.name, other=by.name)


def _weaker(op: str, constant: Fraction, other_op: str, other: Fraction) -> bool:
    """Whether `x other_op other` implies `x op constant`."""
    if op in (">", ">=") and other_op in (">", ">="):
        return other > constant or (other == constant and (op == ">=" or other_op == ">"))
    if op in ("<", "<=") and other_op in ("<", "<="):
        return other < constant or (other == constant and (op == "<=" or other_op == "<"))
    return False
