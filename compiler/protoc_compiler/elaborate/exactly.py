"""Exact tests behind comparisons of real numbers: a root or a bound is compared by the polynomial that defines it.

* `sqrt(x) op c` for c >= 0 is `x op c^2`.
* `spearman(...).value op c` is `signed_square op c * |c|`.
* A Wilson bound: with p = hits / n, the centre m = (p + z2 / 2n) / (1 + z2 / n) and Q(c) = n (p - c)^2 - z2 c (1 - c),
  the two bounds are the roots of Q, so `low >= c` is `c <= m and Q(c) >= 0`, and `high <= c` is `c >= m and Q(c) >= 0`.
  (E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22, 1927.)
"""

from __future__ import annotations

from fractions import Fraction

from protoc_compiler import core
from protoc_compiler.elaborate.context import Context

# the standard normal quantile at (1 + level) / 2, rounded to 15 decimals: the rule of `docs/design/statistics.md`
_Z = {
    Fraction(9, 10): Fraction("1.644853626951473"),
    Fraction(95, 100): Fraction("1.959963984540054"),
    Fraction(99, 100): Fraction("2.575829303548901"),
}
_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def compare(el: Context, left: core.Expr, op: str, right: core.Expr) -> core.Expr | None:
    """The exact form of `left op right` where one side is real, or None where there is none."""
    if left.type.kind != "real":
        if right.type.kind != "real" or op not in _FLIPPED:
            return None
        return compare(el, right, _FLIPPED[op], left)
    if op not in _FLIPPED or right.type.kind not in ("int", "number"):
        return None
    value = _named(el, left)
    if isinstance(value, core.Call) and value.function == "sqrt":
        return _root(value.args[0], op, right)
    if isinstance(value, core.Part) and value.name == "value":
        return _signed(value, op, right)
    if isinstance(value, core.Part) and isinstance(value.struct, core.Call) and value.struct.function == "wilson":
        return _wilson(value, op, right)
    return None


def _named(el: Context, value: core.Expr) -> core.Expr:
    while isinstance(value, core.Global) and value.space in ("definitions", "metrics"):
        item = el.item(el.names.items[value.space, value.name])
        if item.withheld is not None:
            break
        value = item.expr
    return value


def _test(left: core.Expr, op: str, right: core.Expr) -> core.Expr:
    return core.Compare(core.BOOL, (left, right), (op,))  # type: ignore[arg-type]


def _number(value: Fraction | int) -> core.Expr:
    return core.Const(core.NUMBER, Fraction(value))


def _arithmetic(op: str, left: core.Expr, right: core.Expr) -> core.Expr:
    return core.Arithmetic(core.NUMBER, op, left, right)  # type: ignore[arg-type]


def _constant(value: core.Expr) -> Fraction | None:
    if isinstance(value, core.Const) and isinstance(value.value, (int, Fraction)):
        return Fraction(value.value)
    return None


def _root(inside: core.Expr, op: str, right: core.Expr) -> core.Expr | None:
    constant = _constant(right)
    if constant is None or constant < 0:
        return None
    return _test(inside, op, _number(constant * constant))


def _signed(value: core.Part, op: str, right: core.Expr) -> core.Expr | None:
    constant = _constant(right)
    if constant is None:
        return None
    square = core.Part(core.NUMBER, value.struct, "signed_square")
    return _test(square, op, _number(constant * abs(constant)))


def _wilson(value: core.Part, op: str, c: core.Expr) -> core.Expr | None:
    struct = value.struct
    assert isinstance(struct, core.Call)
    level = _constant(dict(struct.options)["level"])
    z = _Z.get(level) if level is not None else None
    if z is None:
        return None
    hits, n = struct.args
    p, z2 = _arithmetic("/", hits, n), _number(z * z)
    spread = _arithmetic("/", z2, n)
    centre = _arithmetic(
        "/", _arithmetic("+", p, _arithmetic("/", spread, _number(2))), _arithmetic("+", _number(1), spread)
    )
    distance = core.Arithmetic(core.NUMBER, "^", _arithmetic("-", p, c), core.Const(core.INT, 2))
    limit = _arithmetic("*", z2, _arithmetic("*", c, _arithmetic("-", _number(1), c)))
    scaled = _arithmetic("*", n, distance)
    beyond = {"low": ("<=", "<"), "high": (">=", ">")}[value.name]  # which side of the centre lies outside
    outside = core.And(core.BOOL, (_test(c, beyond[0], centre), _test(scaled, ">=", limit)))
    strictly = core.And(core.BOOL, (_test(c, beyond[0], centre), _test(scaled, ">", limit)))
    if value.name == "low":
        return {">=": outside, ">": strictly, "<": _not(outside), "<=": _not(strictly)}[op]
    return {"<=": outside, "<": strictly, ">": _not(outside), ">=": _not(strictly)}[op]


def _not(value: core.Expr) -> core.Expr:
    return core.Not(core.BOOL, value)
