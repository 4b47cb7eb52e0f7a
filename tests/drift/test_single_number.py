"""Conditions on one number: what is said to follow is true of every number that is tried, and what is true of all of
them is said to follow."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import pytest

from protoc_compiler import core
from protoc_compiler.drift.entails import Given, entails, way
from protoc_compiler.drift.normal import Normal
from protoc_compiler.drift.reading import read
from protoc_compiler.drift.review import review
from protoc_compiler.drift.roots import sign, spots

NUMBER = core.Type("number")
ROW = core.Type("row", table="t")
POINTS = [Fraction(at, 12) for at in range(-72, 73)]
TRIED = 300


def _column(kind: core.Type) -> core.Expr:
    return core.Column(kind, core.RowVar(ROW, "r"), "x")


def _value(chance: Random, kind: core.Type, depth: int = 2) -> core.Expr:
    """A number that is calculated of one column."""
    way = chance.choice(("column", "const", "+", "-", "*", "/", "^", "abs")) if depth else "column"
    if way == "column":
        return _column(kind)
    if way == "const":
        return core.Const(kind, chance.choice((-2, -1, 1, 2, 3)))
    inner = _value(chance, kind, depth - 1)
    if way == "abs":
        return core.Call(kind, "abs", (inner,), ())
    if way == "^":
        return core.Arithmetic(kind, "^", inner, core.Const(core.INT, 2))
    return core.Arithmetic(NUMBER if way == "/" else kind, way, inner, _value(chance, kind, depth - 1))


def _condition(chance: Random, kind: core.Type, depth: int = 1) -> core.Expr:
    way = chance.choice(("compare", "compare", "and", "or", "not", "is", "default")) if depth else "compare"
    if way == "compare":
        bound = core.Const(kind, chance.choice((-4, -1, 0, 1, 2, 4)))
        return core.Compare(
            core.BOOL, (_value(chance, kind), bound), (chance.choice(("<", "<=", ">", ">=", "==", "!=")),)
        )
    inner = _condition(chance, kind, depth - 1)
    if way == "not":
        return core.Not(core.BOOL, inner)
    if way == "is":
        return core.Is(core.BOOL, inner, chance.choice(("true", "false", "defined", "undefined")))  # type: ignore[arg-type]
    if way == "default":
        return core.Default(core.BOOL, inner, core.Const(core.BOOL, chance.choice((True, False))))
    other = _condition(chance, kind, depth - 1)
    return (core.And if way == "and" else core.Or)(core.BOOL, (inner, other))


def _of(expr: Any, x: Fraction | None) -> Any:
    """The value by the page on the language, computed anew."""
    match expr:
        case core.Column():
            return x
        case core.Const():
            return expr.value if isinstance(expr.value, bool) else Fraction(expr.value)
        case core.Call():
            inner = _of(expr.args[0], x)
            return None if inner is None else abs(inner)
        case core.Arithmetic():
            a, b = _of(expr.left, x), _of(expr.right, x)
            if a is None or b is None or (expr.op == "/" and b == 0):
                return None
            return {"+": a + b, "-": a - b, "*": a * b, "/": b and a / b, "^": a**2}[expr.op]
        case core.Compare():
            a, b = (_of(one, x) for one in expr.operands)
            if a is None or b is None:
                return None
            return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b, "==": a == b, "!=": a != b}[expr.ops[0]]
        case core.And() | core.Or():
            found = [_of(part, x) for part in expr.parts]
            deciding = isinstance(expr, core.Or)
            return deciding if deciding in found else None if None in found else not deciding
        case core.Not():
            inner = _of(expr.operand, x)
            return None if inner is None else not inner
        case core.Is():
            inner = _of(expr.operand, x)
            return {"true": inner is True, "false": inner is False, "defined": inner is not None,
                    "undefined": inner is None}[expr.state]  # fmt: skip
    inner = _of(expr.operand, x)
    return _of(expr.value, x) if inner is None else inner


@pytest.mark.parametrize("kind", [core.INT, NUMBER], ids=["whole", "any"])
def test_what_follows_is_true_of_every_number_and_the_other_way_round(kind: core.Type) -> None:
    chance = Random(7)
    given = Given(kind_of=lambda _: kind.kind)
    points = [*(one for one in POINTS if kind is NUMBER or one.denominator == 1), None]
    followed = missed = 0
    for _ in range(TRIED):
        one, other = _condition(chance, kind), _condition(chance, kind)
        holds = all(_of(one, x) is not True or _of(other, x) is True for x in points)
        claimed = entails(Normal().of(one), Normal().of(other), given)
        assert holds or not claimed, (one, other)
        followed += claimed
        missed += holds and not claimed
    assert followed > 60
    assert missed < TRIED * 0.05  # what is true between the points that are tried, or of numbers that are far away


def test_limits_and_missing_numbers_decide() -> None:
    square = Normal().of(_at_most(core.Arithmetic(core.INT, "^", _column(core.INT), core.Const(core.INT, 2)), 4))
    least = Normal().of(_at_most(_column(core.INT), 2))
    for limits, expected in (((None, None), "stricter"), ((Fraction(0), None), "equivalent")):
        given = Given(range_of=lambda _, limits=limits: limits, kind_of=lambda _: "int")
        assert way(least, square, given) == expected
    missing = ("is", "undefined", least[2])
    assert not entails(missing, square, Given(kind_of=lambda _: "int"))
    assert entails(missing, square, Given(kind_of=lambda _: "int", defined=lambda _: True))
    assert way(least, square, Given(kind_of=lambda _: "")) == "undecided"  # of a rounded number nothing is said


def _at_most(value: core.Expr, bound: int) -> core.Expr:
    return core.Compare(core.BOOL, (value, core.Const(core.INT, bound)), ("<=",))


def test_roots_that_are_no_fractions_are_told_apart() -> None:
    two = (Fraction(-2), Fraction(0), Fraction(1))  # x^2 - 2
    near = (Fraction(-14142135, 10_000_000), Fraction(1))
    signs = [(spot.sign(two), spot.sign(near)) for spot in spots([two, near], whole=False)]
    assert signs == [(1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1), (0, 1), (1, 1)]
    assert [spot.sign(two) for spot in spots([two], whole=True)] == [1, -1, 1]
    assert sign(two, Fraction(3, 2)) == 1


SPEC = """\
protoc: 1
protocol: {{id: one, version: 1, title: One number}}
data:
  tables:
    cases: {{key: case, columns: {{case: text, weight: {kind}, kind: [a, b]}}, expect: {expected}}}
    answers: {{from: subject, key: case, columns: {{case: cases, right: bool}}}}
procedure:
  subject: {{python: "s.py:f", of: cases, sees: [kind]}}
gates:
  rule: {{says: It holds., must: "{rule}"}}
  light: {{says: All are light., must: all cases have weight <= 1000}}
verdict: [PASS when all gates have held, FAIL otherwise]
report: {{released: [PASS]}}
"""


@pytest.mark.parametrize(
    ("kind", "rules", "direction"),
    [
        ("int", ("all cases have weight^2 <= 4", "all cases have abs(weight) <= 2"), "equivalent"),
        ("decimal", ("all cases have weight^2 < 5", "all cases have abs(weight) <= 2"), "stricter"),
        ("int", ("all cases have weight^2 < 5", "all cases have abs(weight) <= 2"), "equivalent"),
        ("int?", ("all cases have weight / weight == 1", "all cases have weight != 0"), "equivalent"),
        ("int?", ("all cases have weight / weight == 1", "all cases have weight > 0"), "stricter"),
        ("int?", ("no cases have weight / weight != 1", "no cases have weight == 0"), "equivalent"),
        ("int", ("some cases have weight / weight != 1", "some cases have weight == 0"), "looser"),
        ("decimal", ("all cases have weight^2 <= 4", "all cases have weight <= 2"), "looser"),
    ],
)
def test_rules_about_one_number_are_decided(kind: str, rules: tuple[str, str], direction: str) -> None:
    sides = [SPEC.format(kind=kind, rule=rule, expected="[count(cases) >= 1]") for rule in rules]
    report = review(*(read("p.yaml", "p.yaml", text.encode()) for text in sides))
    (effect,) = report.effects
    assert (effect.direction, effect.status) == (direction, "proved" if direction == "equivalent" else effect.status)
    assert effect.status != "undecided"
    swapped = review(*(read("p.yaml", "p.yaml", text.encode()) for text in reversed(sides)))
    opposite = {"looser": "stricter", "stricter": "looser"}
    assert swapped.effects[0].direction == opposite.get(direction, direction)


def test_what_is_expected_of_one_number_is_compared_too() -> None:
    sides = [SPEC.format(kind="int", rule="count(cases) >= 1", expected=f"[all cases have {one}]") for one in
             ("weight^2 <= 4", "abs(weight) <= 2")]  # fmt: skip
    report = review(*(read("p.yaml", "p.yaml", text.encode()) for text in sides))
    assert [change.direction for change in report.changes] == ["equivalent"]
    assert report.verdict.direction == "equivalent"
