"""The calculus on formulas against a table of truth: every assignment of small numbers, undefined among them."""

from __future__ import annotations

import os
import random
from fractions import Fraction
from itertools import product

from hypothesis import example, given, settings
from hypothesis import strategies as st

from protoc_compiler import core
from protoc_compiler.drift.entails import entails
from protoc_compiler.drift.forms import negate
from protoc_compiler.drift.normal import Normal

EXAMPLES = 2_000 if os.environ.get("PROTOC_LONG") else 25
NAMES = ("a", "b", "c")
VALUES = (None, -1, 0, 1, 2)
Assignment = dict[str, int | None]
ASSIGNMENTS: list[Assignment] = [dict(zip(NAMES, row, strict=True)) for row in product(VALUES, repeat=len(NAMES))]

numbers = st.deferred(
    lambda: st.one_of(
        st.sampled_from([core.Global(core.INT, "metrics", name) for name in NAMES]),
        st.integers(-2, 3).map(lambda n: core.Const(core.INT, n)),
        st.builds(lambda op, x, y: core.Arithmetic(core.INT, op, x, y), st.sampled_from("+-*"), numbers, numbers),
        st.builds(lambda x, y: core.Arithmetic(core.NUMBER, "/", x, y), numbers, numbers),
    )
)
conditions = st.deferred(
    lambda: st.one_of(
        st.builds(
            lambda op, x, y: core.Compare(core.BOOL, (x, y), (op,)),
            st.sampled_from(["<", "<=", ">", ">=", "==", "!="]),
            numbers,
            numbers,
        ),
        st.builds(lambda x: core.Not(core.BOOL, x), conditions),
        st.builds(lambda x, y: core.And(core.BOOL, (x, y)), conditions, conditions),
        st.builds(lambda x, y: core.Or(core.BOOL, (x, y)), conditions, conditions),
        st.builds(lambda x, s: core.Is(core.BOOL, x, s), conditions, st.sampled_from(["true", "false"])),
        st.builds(lambda x, v: core.Default(core.BOOL, x, core.Const(core.BOOL, v)), conditions, st.booleans()),
    )
)


def number(value: core.Expr, given: Assignment) -> Fraction | None:
    if isinstance(value, core.Global):
        known = given[value.name]
        return None if known is None else Fraction(known)
    if isinstance(value, core.Const):
        return Fraction(value.value)  # type: ignore[arg-type]
    assert isinstance(value, core.Arithmetic)
    left, right = number(value.left, given), number(value.right, given)
    if left is None or right is None or (value.op == "/" and right == 0):
        return None
    return {"+": left + right, "-": left - right, "*": left * right}.get(value.op) if value.op != "/" else left / right


def truth(value: core.Expr, given: Assignment) -> bool | None:
    match value:
        case core.Compare(_, (x, y), (op,)):
            left, right = number(x, given), number(y, given)
            if left is None or right is None:
                return None
            return {
                "<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right, "==": left == right,
                "!=": left != right,
            }[op]  # fmt: skip
        case core.Not(_, x):
            known = truth(x, given)
            return None if known is None else not known
        case core.And(_, parts):
            found = [truth(part, given) for part in parts]
            return False if False in found else None if None in found else True
        case core.Or(_, parts):
            found = [truth(part, given) for part in parts]
            return True if True in found else None if None in found else False
        case core.Is(_, x, state):
            return truth(x, given) is (state == "true")
        case core.Default(_, x, core.Const(_, bool() as other)):
            known = truth(x, given)
            return other if known is None else known
    raise AssertionError(value)


def shuffled(value: core.Expr, chance: random.Random) -> core.Expr:
    """The same condition with its parts and operands in another order."""
    match value:
        case core.And(kind, parts) | core.Or(kind, parts):
            again = [shuffled(part, chance) for part in parts]
            chance.shuffle(again)
            return type(value)(kind, tuple(again))
        case core.Not(kind, x):
            return core.Not(kind, shuffled(x, chance))
        case core.Compare(kind, (x, y), (op,)):
            turned = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}.get(op, op)
            return core.Compare(kind, (shuffled(y, chance), shuffled(x, chance)), (turned,))
        case core.Arithmetic(kind, "+" | "*" as op, x, y):
            return core.Arithmetic(kind, op, shuffled(y, chance), shuffled(x, chance))
    return value


@given(conditions, conditions)
@settings(max_examples=EXAMPLES)
def test_what_is_entailed_is_true_wherever_the_other_is(first: core.Expr, second: core.Expr) -> None:
    before, after = Normal().of(first), Normal().of(second)
    for one, other, at, by in ((before, after, first, second), (after, before, second, first)):
        if entails(one, other):
            assert all(truth(by, given) is True for given in ASSIGNMENTS if truth(at, given) is True)


@given(conditions, st.sampled_from([0, 1]))
@settings(max_examples=EXAMPLES)
def test_a_condition_entails_what_is_weaker_than_it(value: core.Expr, which: int) -> None:
    other = core.Compare(core.BOOL, (core.Global(core.INT, "metrics", "a"), core.Const(core.INT, 0)), (">",))
    joined = (core.And, core.Or)[which](core.BOOL, (value, other))
    forms = Normal().of(joined), Normal().of(value)
    assert entails(*(forms if which == 0 else forms[::-1]))


@given(conditions, conditions)
@settings(max_examples=EXAMPLES)
def test_equal_forms_are_equally_true(first: core.Expr, second: core.Expr) -> None:
    if Normal().of(first) == Normal().of(second):
        assert [truth(first, given) for given in ASSIGNMENTS] == [truth(second, given) for given in ASSIGNMENTS]


NOTHING = core.Arithmetic(core.NUMBER, "/", core.Const(core.INT, 0), core.Global(core.INT, "metrics", "a"))


@given(conditions, st.integers())
@example(core.Compare(core.BOOL, (core.Const(core.INT, 1), NOTHING), ("==",)), 0)
@example(core.Compare(core.BOOL, (NOTHING, core.Const(core.INT, -1)), ("!=",)), 0)
@settings(max_examples=EXAMPLES)
def test_another_order_has_the_same_form(value: core.Expr, seed: int) -> None:
    other = shuffled(value, random.Random(seed))
    assert Normal().of(value) == Normal().of(other)


@given(conditions)
@settings(max_examples=EXAMPLES)
def test_the_negation_of_a_form_is_the_form_of_not(value: core.Expr) -> None:
    assert negate(Normal().of(value)) == Normal().of(core.Not(core.BOOL, value))
    assert negate(negate(Normal().of(value))) == Normal().of(value)
