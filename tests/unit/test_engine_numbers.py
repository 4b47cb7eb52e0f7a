"""Exact vectors: the fast and the slow form give what Python's fractions give, undefined included."""

from __future__ import annotations

import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protoc_runtime.engine.api import chain, choose, default, in_list, lift, undefined
from protoc_runtime.engine.context import ONE, Context
from protoc_runtime.engine.exact import Ratio, Real, normal_quantile, rounded, square_root
from protoc_runtime.engine.faults import EngineError
from protoc_runtime.engine.numbers import LIMIT, Numbers, numbers
from protoc_runtime.engine.vec import Bools

SIZES = (3, 10**6, 2**40, 2**61, 2**62)


def context(size: int) -> Context:
    return Context(size, ONE, pl.zeros(size, dtype=pl.UInt32, eager=True))


@st.composite
def columns(draw: st.DrawFn) -> tuple[Numbers, Numbers, list[Any], list[Any]]:
    """Two aligned vectors, each fast over some denominator or slow, and the values that they stand for."""
    size = draw(st.integers(0, 6))
    where = context(size)
    made: list[Any] = []
    for _ in range(2):
        limit, den = draw(st.sampled_from(SIZES)), draw(st.sampled_from([1, 1, 3, 10, 10**9]))
        stored = draw(st.lists(st.none() | st.integers(-limit, limit), min_size=size, max_size=size))
        values = [None if n is None else Fraction(n, den) for n in stored]
        if draw(st.booleans()):
            made += [Numbers(where, pl.Series(stored, dtype=pl.Int64), den, whole=den == 1), values]
        else:
            made += [Numbers(where, list(values)), values]
    return made[0], made[2], made[1], made[3]


def strict(operation: Callable[[Any, Any], Any], left: list[Any], right: list[Any]) -> list[Any]:
    return [None if a is None or b is None else operation(a, b) for a, b in zip(left, right, strict=True)]


@given(columns(), st.sampled_from([operator.add, operator.sub, operator.mul]))
def test_arithmetic_is_exact_whatever_the_form(pair: Any, operation: Callable[[Any, Any], Any]) -> None:
    left, right, a, b = pair
    assert operation(left, right).values() == strict(operation, a, b)


@given(columns())
def test_division_is_exact_and_undefined_by_zero(pair: Any) -> None:
    left, right, a, b = pair
    assert (left / right).values() == strict(lambda x, y: x / y if y else None, a, b)


@given(columns(), st.sampled_from([operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]))
def test_comparison_is_exact_whatever_the_form(pair: Any, operation: Callable[[Any, Any], Any]) -> None:
    left, right, a, b = pair
    assert operation(left, right).values() == strict(operation, a, b)


@given(columns(), st.fractions(max_denominator=1000))
def test_constants_meet_vectors_on_both_sides(pair: Any, constant: Fraction) -> None:
    left, _, a, _ = pair
    both = [constant] * len(a)
    assert (constant - left).values() == strict(operator.sub, both, a)
    assert (left * constant).values() == strict(operator.mul, a, both)
    assert (left / constant).values() == strict(lambda x, y: x / y if y else None, a, both)
    assert (constant < left).values() == strict(operator.lt, both, a)
    assert (constant == left).values() == strict(operator.eq, both, a)


@given(columns(), st.lists(st.sampled_from([0, 1, None]), max_size=6))
def test_a_choice_takes_either_exactly(pair: Any, picks: list[int | None]) -> None:
    left, right, a, b = pair
    picks = (picks + [0] * len(a))[: len(a)]
    test = Bools(left.context, pl.Series([None if p is None else p == 0 for p in picks], dtype=pl.Boolean))
    expected = [None if p is None else (a, b)[p][at] for at, p in enumerate(picks)]
    assert choose((test, left), otherwise=right).values() == expected


def test_decimals_add_up() -> None:
    assert (lift(Fraction(1, 10)) + Fraction(2, 10) == Fraction(3, 10)).value() is True
    assert (lift(3) * 3 * Fraction(6, 10) >= Fraction(54, 10)).value() is True
    assert (lift(Fraction("0.73")) - Fraction("0.75") >= Fraction("-0.02")).value() is True


def test_the_fast_form_gives_way_before_it_overflows() -> None:
    where = context(1)
    near = Numbers(where, pl.Series([LIMIT], dtype=pl.Int64), whole=True)
    assert (near + near).values() == [2 * LIMIT]
    assert (near * near).values() == [LIMIT**2]
    assert ((near + near) - near == near).value() is True
    tiny = Numbers(where, pl.Series([1], dtype=pl.Int64), 10**18)
    assert (near + tiny).values() == [LIMIT + Fraction(1, 10**18)]


def test_counts_stay_as_counted_until_they_are_reckoned_with() -> None:
    where = context(2)
    hits, cases = numbers(where, [6, 0], whole=True), numbers(where, [38, 0], whole=True)
    share = (hits / cases).values()
    assert (share[0].num, share[0].den, share[1]) == (6, 38, None)
    by_constant = (hits / 38).values()
    assert [(one.num, one.den) for one in by_constant] == [(6, 38), (0, 38)]
    assert type((hits / cases + 0).values()[0]) is Fraction
    assert type((-(hits / 38)).values()[0]) is Fraction


@given(st.integers(-(2**70), 2**70), st.integers(-(2**70), 2**70).filter(bool))
def test_a_ratio_is_a_fraction_that_keeps_its_counts(num: int, den: int) -> None:
    made, fraction = Ratio(num, den), Fraction(num, den)
    assert made == fraction
    assert hash(made) == hash(fraction)
    assert (made.numerator, made.denominator) == (fraction.numerator, fraction.denominator)
    assert (made.num, made.den) == ((num, den) if den > 0 else (-num, -den))
    assert type(made) is Ratio
    assert type(made - 1) is Fraction


def test_a_negative_denominator_moves_its_sign() -> None:
    one = Ratio(3, -4)
    assert (one.num, one.den, one) == (-3, 4, Fraction(-3, 4))
    assert -one == Fraction(3, 4)


TRUTH = [True, False, None]


def kleene_and(a: bool | None, b: bool | None) -> bool | None:
    return False if False in (a, b) else None if None in (a, b) else True


def test_and_or_not_are_kleene() -> None:
    pairs = [(a, b) for a in TRUTH for b in TRUTH]
    where = context(len(pairs))
    left = Bools(where, pl.Series([a for a, _ in pairs], dtype=pl.Boolean))
    right = Bools(where, pl.Series([b for _, b in pairs], dtype=pl.Boolean))
    negate = {True: False, False: True, None: None}
    assert (left & right).values() == [kleene_and(a, b) for a, b in pairs]
    assert (left | right).values() == [negate[kleene_and(negate[a], negate[b])] for a, b in pairs]
    assert (~left).values() == [negate[a] for a, _ in pairs]
    assert left.is_true().values() == [a is True for a, _ in pairs]
    assert left.is_false().values() == [a is False for a, _ in pairs]
    assert left.is_undefined().values() == [a is None for a, _ in pairs]


def test_what_is_undefined_stays_so() -> None:
    assert (lift(1) + undefined).values() == [None]
    assert (undefined + 1).values() == [None]
    assert (undefined == 1).values() == [None]
    assert (undefined & False).values() == [False]
    assert (lift(True) | undefined).values() == [True]
    assert undefined.is_true().values() == [False]
    assert undefined["any column"].values() == [None]
    assert default(undefined, 3).values() == [3]
    assert default(lift(None), "text").values() == ["text"]


def test_a_chain_is_strict_as_a_whole() -> None:
    assert chain(5, ("<", 3), ("<", undefined)).values() == [None]
    assert chain(1, ("<", 2), ("<=", 2), ("<", Fraction(5, 2))).values() == [True]
    assert chain(1, ("<", 2), (">", 2)).values() == [False]


def test_membership_is_true_or_undefined_or_false() -> None:
    assert in_list(2, 1, 2, undefined).values() == [True]
    assert in_list(3, 1, 2, undefined).values() == [None]
    assert in_list(3, 1, 2).values() == [False]
    assert in_list(undefined, 1).values() == [None]


def test_reals_have_fifty_digits_and_show_twelve() -> None:
    two = square_root(2, "square root")
    assert two is not None
    assert str(two.value) == "1.4142135623730950488016887242096980785696718753769"
    assert two.shown() == "1.414213562373"
    assert square_root(-1, "square root") is None
    assert (two * two).shown() == "2.000000000000"
    assert (1 - two).shown() == "-0.414213562373"
    assert Real(-two.value / 10**14, "tiny").shown() == "0.000000000000"
    assert rounded(two, 3) == Fraction(1414, 1000)


def test_rounding_takes_the_even_neighbour_of_a_tie() -> None:
    assert [rounded(Fraction(n, 2), 0) for n in (1, 3, 5, -1)] == [0, 2, 2, 0]
    assert rounded(Fraction(1, 3), 4) == Fraction(3333, 10000)


@pytest.mark.parametrize(
    ("level", "quantile"), [("0.95", "1.959963984540054"), ("0.90", "1.644853626951473"), ("0.99", "2.575829303548901")]
)
def test_normal_quantiles_have_fifteen_decimals(level: str, quantile: str) -> None:
    assert normal_quantile(Fraction(level)) == Fraction(quantile)


def test_values_of_different_kinds_are_refused_where_they_have_no_order() -> None:
    with pytest.raises(EngineError):
        _ = lift("a") < lift(1)
    with pytest.raises(EngineError):
        _ = lift(True) & lift(1)
