"""Exact tests behind comparisons of real numbers: a root or a bound is compared by the polynomial that defines it.

* `k * sqrt(x) op c` for c >= 0 is `k^2 x op c^2`.
* `spearman(...).value op c` is `signed_square op c * |c|`.
* A Wilson bound: with p = hits / n, the centre m = (p + z2 / 2n) / (1 + z2 / n) and Q(c) = n (p - c)^2 - z2 c (1 - c),
  the two bounds are the roots of Q, so `low >= c` is `c <= m and Q(c) >= 0`, and `high <= c` is `c >= m and Q(c) >= 0`.
  (E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22, 1927.)
* A Clopper-Pearson bound: `low >= c` is `P(X >= hits) <= (1 - level) / 2` at the share c, `high <= c` the same of
  `P(X <= hits)` (C. J. Clopper and E. S. Pearson, Biometrika 26, 1934).
* A bound of Newcombe's interval: the library says on which side of c it lies, by squaring twice.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from protoc_compiler import core
from protoc_compiler.elaborate.context import Context
from protoc_runtime.record import replace

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
    value = named(el, left)
    root = _scaled_root(el, value)
    if root is not None:
        return _root(*root, op, right)
    if not isinstance(value, core.Part) or value.name not in ("value", "low", "high"):
        return None
    struct = value.struct
    if value.name == "value":
        return _signed(value, op, right)
    level = _constant(dict(struct.options).get("level")) if isinstance(struct, core.Call) else None
    if not isinstance(struct, core.Call) or level is None or struct.function not in _BOUNDS:
        return None
    return _BOUNDS[struct.function](struct, value.name, level, op, right)


def named(el: Context, value: core.Expr) -> core.Expr:
    """A study-level value, or an entry, by its formula; one that may be withheld stays a name."""
    while isinstance(value, (core.Global, core.Entry)) and value.space in ("definitions", "metrics"):
        item = el.item(el.names.items[value.space, value.name])
        if item.withheld is not None:
            break
        keys = value.keys if isinstance(value, core.Entry) else ()
        value = _of_rows(el, item.expr, {f"per{place}": key for place, key in enumerate(keys)})
    return value


def _of_rows(el: Context, value: core.Expr, rows: dict[str, core.Expr]) -> core.Expr:
    """The formula of an item that has entries, about these rows; what it opens gets names of its own."""
    if not rows:
        return value
    made = _changed(el, value, dict(rows))
    assert isinstance(made, core.Expr)
    return made


def _changed(el: Context, part: object, rows: dict[str, core.Expr]) -> object:
    if isinstance(part, core.RowVar):
        return rows.get(part.var, part)
    if isinstance(part, tuple):
        return tuple(_changed(el, item, rows) for item in part)
    if isinstance(part, (core.Expr, core.Rows, core.Match)):
        inner = rows
        opened = part if isinstance(part, core.Rows) else getattr(part, "rows", None)
        if isinstance(opened, core.Rows) and opened.var not in inner:
            inner = {**rows, opened.var: core.RowVar(core.Type("row", table=opened.table), el.fresh())}
        fields = {name: _changed(el, item, inner) for name, item in part.__dict__.items() if name != "type"}
        if isinstance(part, core.Rows):
            fields["var"] = inner[part.var].var  # type: ignore[attr-defined]
        return replace(part, **fields)
    return part


def _test(left: core.Expr, op: str, right: core.Expr) -> core.Expr:
    return core.Compare(core.BOOL, (left, right), (op,))  # type: ignore[arg-type]


def _number(value: Fraction | int) -> core.Expr:
    return core.Const(core.NUMBER, Fraction(value))


def _arithmetic(op: str, left: core.Expr, right: core.Expr) -> core.Expr:
    return core.Arithmetic(core.NUMBER, op, left, right)  # type: ignore[arg-type]


def _constant(value: core.Expr | None) -> Fraction | None:
    if isinstance(value, core.Const) and isinstance(value.value, (int, Fraction)):
        return Fraction(value.value)
    return None


def _scaled_root(el: Context, value: core.Expr) -> tuple[core.Expr, Fraction] | None:
    """x and k of `k * sqrt(x)`, with a literal k above 0."""
    if isinstance(value, core.Call) and value.function == "sqrt":
        return value.args[0], Fraction(1)
    if not isinstance(value, core.Arithmetic) or value.op not in ("*", "/"):
        return None
    sides = [(value.left, value.right)] + [(value.right, value.left)] * (value.op == "*")
    for one, other in sides:
        factor, root = _constant(other), _scaled_root(el, named(el, one))
        if factor is not None and factor > 0 and root is not None:
            return root[0], root[1] * factor if value.op == "*" else root[1] / factor
    return None


def _root(inside: core.Expr, factor: Fraction, op: str, right: core.Expr) -> core.Expr:
    constant = _constant(right)
    if not (isinstance(inside, core.Aggregate) and inside.function == "variance"):
        # undefined below 0, as the root is
        mirrored = _test(core.Negative(inside.type, inside), "<=", inside)
        defined = core.Call(core.INT, "indicator", (mirrored,), ())
        inside = _arithmetic("/", inside, defined)
    square = inside if factor == 1 else _arithmetic("*", _number(factor * factor), inside)
    if constant is not None and constant >= 0:
        return _test(square, op, _number(constant * constant))
    limit = core.Arithmetic(core.NUMBER, "^", right, core.Const(core.INT, 2))

    def above(sign: str, below: str) -> core.Expr:
        """Whether the root is on this side of the right operand; one below zero (`below`) decides without its
        square."""
        return _either(square, _test(right, below, _number(0)), _test(square, sign, limit))

    return _directed(op, above(">=", "<="), above(">", "<"))


def _either(strict: core.Expr, *parts: core.Expr) -> core.Expr:
    """One of the parts, and undefined where a number is."""
    return core.And(core.BOOL, (_test(strict, "==", strict), core.Or(core.BOOL, parts)))


def _directed(op: str, at_least: core.Expr, above: core.Expr) -> core.Expr:
    return {">=": at_least, ">": above, "<": _not(at_least), "<=": _not(above)}[op]


def _signed(value: core.Part, op: str, right: core.Expr) -> core.Expr | None:
    constant = _constant(right)
    if constant is None:
        return None
    square = core.Part(core.NUMBER, value.struct, "signed_square")
    return _test(square, op, _number(constant * abs(constant)))


def _wilson(struct: core.Call, bound: str, level: Fraction, op: str, c: core.Expr) -> core.Expr | None:
    z = _Z.get(level)
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
    beyond = {"low": ("<=", "<"), "high": (">=", ">")}[bound]  # which side of the centre lies outside
    outside = core.And(core.BOOL, (_test(c, beyond[0], centre), _test(scaled, ">=", limit)))
    strictly = core.And(core.BOOL, (_test(c, beyond[0], centre), _test(scaled, ">", limit)))
    if bound == "low":
        return {">=": outside, ">": strictly, "<": _not(outside), "<=": _not(strictly)}[op]
    return {"<=": outside, "<": strictly, ">": _not(outside), ">=": _not(strictly)}[op]


def _not(value: core.Expr) -> core.Expr:
    return core.Not(core.BOOL, value)


def _clopper_pearson(struct: core.Call, bound: str, level: Fraction, op: str, c: core.Expr) -> core.Expr:
    """By the tail that defines the bound, at the limit (brought into 0..1, where the tail is defined)."""
    constant = _constant(c)
    inside = constant is not None and 0 < constant < 1
    one, zero = core.Const(core.INT, 1), core.Const(core.INT, 0)
    limit = c if inside else core.Call(core.NUMBER, "max", (zero, core.Call(core.NUMBER, "min", (one, c), ())), ())
    kind = core.Type("struct", fields=tuple((name, core.NUMBER) for name in ("p", "at_least", "at_most")))
    test = core.Call(kind, "binomial_test", (*struct.args, limit), ())
    tail = core.Part(core.NUMBER, test, "at_least" if bound == "low" else "at_most")
    wanted = _number((1 - level) / 2)

    def outside(sign: str, beyond: str, edge: int) -> core.Expr:
        """Whether the tail is on this side; a count at the edge, for which no tail is solved, decides alone."""
        found = _test(tail, sign, wanted)
        return found if inside else _either(tail, _test(c, beyond, _number(edge)), found)

    if bound == "low":
        return _directed(op, outside("<=", "<=", 0), outside("<", "<", 0))
    return _directed(_FLIPPED[op], outside("<=", ">=", 1), outside("<", ">", 1))


def _newcombe(struct: core.Call, bound: str, level: Fraction, op: str, c: core.Expr) -> core.Expr:
    name = core.Const(core.Type("enum", members=("low", "high")), bound)
    options = (("bound", name), ("level", _number(level)))
    return _test(core.Call(core.INT, "newcombe_side", (*struct.args, c), options), op, core.Const(core.INT, 0))


_BOUNDS: dict[str, Callable[[core.Call, str, Fraction, str, core.Expr], core.Expr | None]] = {
    "wilson": _wilson,
    "clopper_pearson": _clopper_pearson,
    "newcombe": _newcombe,
}
