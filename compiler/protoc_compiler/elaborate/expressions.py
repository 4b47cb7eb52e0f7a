"""Formulas: from the tree as written to the typed tree."""

from __future__ import annotations

from fractions import Fraction

from protoc_compiler import core, syntax
from protoc_compiler.catalogue import types as kinds
from protoc_compiler.elaborate import calls, compare, paths, rules
from protoc_compiler.elaborate.context import Context, Fault, Scope
from protoc_compiler.elaborate.kinds import NUMERIC, UNITS, comparable, describe, is_measure, quantity


def expr(el: Context, tree: syntax.Expr, scope: Scope, expect: core.Type | None = None) -> core.Expr:
    """The typed form of a formula."""
    return el.placed(_expr(el, tree, scope, expect), tree.span)


def _expr(el: Context, tree: syntax.Expr, scope: Scope, expect: core.Type | None) -> core.Expr:
    match tree:
        case syntax.Name():
            return paths.name(el, tree, scope, expect)
        case syntax.Field():
            return paths.path(el, tree, scope)
        case syntax.Call():
            return calls.call(el, tree, scope)
        case syntax.Chain():
            return compare.chain(el, tree, scope)
        case syntax.In():
            return compare.membership(el, tree, scope)
        case syntax.Quantified():
            return quantified(el, tree, scope)
        case syntax.Arithmetic():
            return arithmetic(el, tree, scope)
        case syntax.And() | syntax.Or():
            parts = conditions(el, tree.parts, scope)
            return (core.And if isinstance(tree, syntax.And) else core.Or)(core.BOOL, parts)
        case syntax.Not():
            return core.Not(core.BOOL, condition(el, tree.operand, scope, "`not`"))
        case syntax.Is():
            return _is(el, tree, scope)
        case syntax.Paren():
            return el.expr(tree.inner, scope, expect)
        case syntax.Table() | syntax.Combined():
            el.fault(kinds.ROWS_NOT_VALUE, tree.span, name=_source(tree))
        case syntax.Range():
            el.fault(kinds.NOT_ITERABLE, tree.span, found="a range by itself")
        case _:
            return _simple(el, tree, scope, expect)
    return None


def _source(tree: syntax.Table | syntax.Combined) -> str:
    if isinstance(tree, syntax.Combined):
        return " and ".join(name.text for name in tree.tables)
    return tree.source.text if isinstance(tree.source, syntax.Name) else "a table"


def _simple(el: Context, tree: syntax.Expr, scope: Scope, expect: core.Type | None) -> core.Expr:
    match tree:
        case syntax.Number():
            whole = tree.value.denominator == 1 and not tree.percent and "." not in tree.text
            return core.Const(core.INT, int(tree.value)) if whole else core.Const(core.NUMBER, tree.value)
        case syntax.Quantity():
            return core.Const(quantity(tree.unit), tree.value * UNITS[tree.unit][1])
        case syntax.String():
            kind = expect if expect is not None and expect.kind == "enum" and tree.value in expect.members else None
            return core.Const(kind or core.TEXT, tree.value)
        case syntax.Date():
            return date_literal(tree)
        case syntax.Constant():
            if tree.state == "undefined":
                return core.Const(expect or core.UNDEFINED, None)
            return core.Const(core.BOOL, tree.state == "true")
        case syntax.ListOf():
            return _list(el, tree, scope)
        case syntax.Negative():
            return _negative(el, tree, scope)
        case syntax.Power():
            return _power(el, tree, scope)
    raise TypeError(type(tree).__name__)


def date_literal(tree: syntax.Date) -> core.Const:
    """A date, or a time in UTC."""
    from datetime import UTC, date, datetime

    if "T" not in tree.text:
        return core.Const(core.DATE, date.fromisoformat(tree.text))
    return core.Const(core.TIME, datetime.fromisoformat(tree.text.replace("Z", "+00:00")).astimezone(UTC))


def _list(el: Context, tree: syntax.ListOf, scope: Scope) -> core.Expr:
    items = compare.together(el, tree.items, scope)
    item = items[0].type if items else None
    for made, written in zip(items[1:], tree.items[1:], strict=True):
        compare.check_pair(el, items[0], made, "==", written.span)
        if item is not None and item.kind == "int" and made.type.kind == "number":
            item = made.type
    return core.ListOf(core.Type("list", item=item), tuple(items))


def _negative(el: Context, tree: syntax.Negative, scope: Scope) -> core.Expr:
    operand = measure(el, tree.operand, scope)
    if isinstance(operand, core.Const) and isinstance(operand.value, (int, Fraction)):
        return core.Const(operand.type, -operand.value)
    return core.Negative(operand.type, operand)


def _power(el: Context, tree: syntax.Power, scope: Scope) -> core.Expr:
    base = measure(el, tree.base, scope)
    exponent = tree.exponent.value
    if base.type.kind == "quantity" or exponent.denominator != 1 or not 0 <= exponent <= 100:
        el.fault(kinds.BAD_POWER, tree.span)
    return core.Arithmetic(base.type, "^", base, core.Const(core.INT, int(exponent)))


def measure(el: Context, tree: syntax.Expr, scope: Scope) -> core.Expr:
    """A number or quantity."""
    made = el.expr(tree, scope)
    if not is_measure(made.type) and made.type.kind not in ("real", "undefined", "any"):
        hint = "`indicator(c)` is 1 or 0" if made.type.kind == "bool" else "arithmetic takes numbers and quantities"
        el.fault(
            kinds.WRONG_TYPE, tree.span, what="an operand of arithmetic", expected="a number",
            found=describe(made.type), hint=hint,
        )  # fmt: skip
    if made.type.kind == "any":
        return core.Cast(core.NUMBER, made)
    return made


def arithmetic(el: Context, tree: syntax.Arithmetic, scope: Scope) -> core.Expr:
    """Sums keep one unit; products take at most one unit; a quotient of like units is a number."""
    left, right = measure(el, tree.left, scope), measure(el, tree.right, scope)
    one, other = left.type, right.type
    units = [kind for kind in (one, other) if kind.kind == "quantity"]
    if tree.op in "+-" and units and not comparable(one, other):
        hint = "add like to like"
        el.fault(kinds.UNIT_MISMATCH, tree.span, left=describe(one), right=describe(other), hint=hint)
    bad_product = tree.op == "*" and len(units) == 2
    bad_quotient = tree.op == "/" and (
        (other.kind == "quantity" and one.kind != "quantity") or (len(units) == 2 and one.unit != other.unit)
    )
    if bad_product or bad_quotient:
        hint = "a quantity is multiplied or divided by a plain number, or divided by one of its own unit"
        el.fault(kinds.UNIT_MISMATCH, tree.span, left=describe(one), right=describe(other), hint=hint)
    return core.Arithmetic(_arithmetic_type(tree.op, one, other), tree.op, left, right)


def _arithmetic_type(op: str, one: core.Type, other: core.Type) -> core.Type:
    if "real" in (one.kind, other.kind):
        return core.REAL
    units = [kind for kind in (one, other) if kind.kind == "quantity"]
    if units and not (op == "/" and len(units) == 2):
        return units[0]
    if op == "/" or len(units) == 2 or not (one.kind == other.kind == "int"):
        return core.NUMBER
    return core.INT if one.kind in NUMERIC else one


# --- conditions -------------------------------------------------------------------------------------------------


def condition(el: Context, tree: syntax.Expr, scope: Scope, what: str) -> core.Expr:
    """A formula that must be true or false."""
    made = el.expr(tree, scope)
    if made.type.kind == "any":
        return el.placed(core.Cast(core.BOOL, made), tree.span)
    if made.type.kind not in ("bool", "undefined"):
        el.fault(
            kinds.WRONG_TYPE, tree.span, what=f"the condition of {what}", expected="true or false",
            found=describe(made.type), hint="compare it with something, for instance `x > 0` or `x is defined`",
        )  # fmt: skip
    return made


def conditions(el: Context, trees: tuple[syntax.Expr, ...], scope: Scope) -> tuple[core.Expr, ...]:
    """Several conditions; the faults of all of them are told."""
    made, failed = [], False
    for tree in trees:
        try:
            made.append(condition(el, tree, scope, "`and` and `or`"))
        except Fault:
            failed = True
    if failed:
        raise Fault
    return tuple(made)


def _is(el: Context, tree: syntax.Is, scope: Scope) -> core.Expr:
    if tree.state in ("true", "false"):
        operand = condition(el, tree.operand, scope, f"`is {tree.state}`")
    else:
        operand = el.expr(tree.operand, scope)
    made = core.Is(core.BOOL, operand, tree.state)
    return core.Not(core.BOOL, made) if tree.negated else made


def quantified(el: Context, tree: syntax.Quantified, scope: Scope) -> core.Expr:
    """`all|some|no ROWS [have CONDITION]`."""
    special = rules.quantified(el, tree, scope)
    if special is not None:
        return special
    rows, inside = el.rows(tree.rows, scope)
    if tree.condition is None:
        if tree.quantifier == "all":
            expected = "`have` and a condition"
            el.fault(
                kinds.WRONG_ARGUMENTS, tree.span, function="all", expected=expected, found="rows alone",
                hint="write `all T have CONDITION`; `some T` and `no T` may stand alone",
            )  # fmt: skip
        return core.Quantified(core.BOOL, tree.quantifier, rows, None)
    made = condition(el, tree.condition, inside, "`have`")
    return core.Quantified(core.BOOL, tree.quantifier, rows, made)
