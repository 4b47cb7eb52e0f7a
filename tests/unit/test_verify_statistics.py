"""The statistics of the generated verifier against scipy, against plain definitions, and on their edges."""

from __future__ import annotations

import math
import random
import statistics
from decimal import Decimal
from fractions import Fraction as F
from typing import Any

import pytest
import scipy.stats as scipy
from hypothesis import given
from hypothesis import strategies as st

from protoc_compiler.emit.support import functions, resampling
from protoc_compiler.emit.support import statistics as lib
from protoc_compiler.emit.support.values import Ratio, Real, Unworkable

numbers = st.lists(st.fractions(min_value=-50, max_value=50, max_denominator=20), min_size=1, max_size=30)
pairs = st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=2, max_size=25)


def test_over_nothing() -> None:
    assert (lib.count([]), lib.total([]), lib.product([]), lib.distinct([]), lib.longest_run([])) == (0, 0, 1, 0, 0)
    assert lib.list_of([]) == ()
    for function in (
        lib.mean,
        lib.rate,
        lib.smallest,
        lib.largest,
        lib.median,
        lib.variance,
        lib.p95,
        lib.max_drawdown,
    ):
        assert function([]) is None  # type: ignore[operator]
    for paired in (lib.mcnemar, lib.correlation, lib.spearman, lib.auc):
        assert paired([]) is None  # type: ignore[operator]


@pytest.mark.parametrize(
    "function",
    [lib.total, lib.product, lib.mean, lib.mean_of_counts, lib.smallest, lib.median, lib.list_of, lib.distinct],
)
def test_an_undefined_operand_makes_the_result_undefined(function: Any) -> None:
    assert function([1, None, 2]) is None


def test_an_undefined_pair_makes_the_result_undefined() -> None:
    assert lib.auc([(1, True), (None, False)]) is None
    assert lib.mcnemar([(True, None)]) is None


def test_counts_are_kept() -> None:
    assert lib.rate([True, False, True, False]).raw == (2, 4)  # type: ignore[union-attr]
    mean = lib.mean_of_counts([1, 1, -4, 0])
    assert isinstance(mean, Ratio)
    assert mean.raw == (-2, 4)
    assert not isinstance(lib.mean([F(1), F(2)]), Ratio)


@given(numbers)
def test_moments_agree_with_scipy(xs: list[F]) -> None:
    floats = [float(x) for x in xs]
    assert lib.mean(xs) == sum(xs) / len(xs)
    if len(xs) > 1:
        assert lib.variance(xs) == statistics.variance(xs)
    assert float(lib.median(xs)) == pytest.approx(scipy.scoreatpercentile(floats, 50))


@given(st.lists(st.integers() | st.fractions() | st.builds(Ratio, st.integers(0, 9), st.integers(1, 9))))
def test_a_sum_is_what_adding_one_after_the_other_gives(xs: list[Any]) -> None:
    one_after_the_other: Any = 0
    for x in xs:
        one_after_the_other = one_after_the_other + x
    assert lib.total(xs) == one_after_the_other
    assert type(lib.total(xs)) is type(one_after_the_other)


@given(numbers, st.fractions(min_value=0, max_value=1, max_denominator=100))
def test_nearest_rank_is_the_least_value_that_covers_the_share(xs: list[F], at: F) -> None:
    found = lib.quantile(xs, at)
    assert sum(x <= found for x in xs) >= at * len(xs)
    assert not any(y < found and sum(x <= y for x in xs) >= at * len(xs) and sum(x <= y for x in xs) for y in xs)


@given(numbers, st.fractions(min_value=0, max_value=1, max_denominator=100))
def test_linear_quantiles_agree_with_scipy(xs: list[F], at: F) -> None:
    expected = scipy.scoreatpercentile([float(x) for x in xs], float(at * 100))
    assert float(lib.quantile(xs, at, "linear")) == pytest.approx(expected, abs=1e-9)


@given(pairs)
def test_correlations_agree_with_scipy(found: list[tuple[int, int]]) -> None:
    xs, ys = [x for x, _ in found], [y for _, y in found]
    pearson, ranked = lib.correlation(found), lib.spearman(found)
    if len(set(xs)) < 2 or len(set(ys)) < 2:
        assert pearson is None
        assert ranked is None
        return
    assert pearson is not None
    assert ranked is not None
    r = scipy.pearsonr(xs, ys).statistic
    assert float(pearson["signed_square"]) == pytest.approx(r * abs(r), abs=1e-9)
    rho = scipy.spearmanr(xs, ys).statistic
    value = ranked["value"].number if isinstance(ranked["value"], Real) else ranked["value"]
    assert float(value) == pytest.approx(rho, abs=1e-9)
    assert float(ranked["signed_square"]) == pytest.approx(rho * abs(rho), abs=1e-9)


@given(st.lists(st.tuples(st.integers(0, 6), st.booleans()), max_size=25))
def test_auc_is_the_share_of_won_pairs(found: list[tuple[int, bool]]) -> None:
    positive, negative = [s for s, p in found if p], [s for s, p in found if not p]
    area = lib.auc(found)
    if not positive or not negative:
        assert area is None
        return
    u = scipy.mannwhitneyu(positive, negative).statistic
    assert area is not None
    assert float(area) == pytest.approx(u / (len(positive) * len(negative)))
    assert area.raw[1] == 2 * len(positive) * len(negative)


@given(st.integers(0, 40), st.integers(0, 40))
def test_mcnemar_is_the_exact_binomial_test(b: int, c: int) -> None:
    found = lib.mcnemar([(True, False)] * b + [(False, True)] * c + [(True, True)])
    assert found is not None
    assert (found["only_first"], found["only_second"]) == (b, c)
    expected = scipy.binomtest(b, b + c, 0.5).pvalue if b + c else 1
    assert float(found["p"]) == pytest.approx(expected)


@given(st.lists(st.fractions(min_value=0, max_value=1, max_denominator=200), min_size=1, max_size=20))
def test_benjamini_hochberg_rejects_what_scipy_rejects(ps: list[F]) -> None:
    found = lib.rejected(ps, F(1, 20))
    assert found is not None
    adjusted = scipy.false_discovery_control([float(p) for p in ps])
    rejected = [p for p, q in zip(ps, adjusted, strict=True) if q <= 0.05 + 1e-12]
    assert found["limit"] == (max(rejected) if rejected else None)


@given(st.lists(st.fractions(min_value=0, max_value=1, max_denominator=50), min_size=1, max_size=8))
def test_holm_is_the_step_down_rule(ps: list[F]) -> None:
    for p in ps:
        below = [q for q in ps if q <= p]
        expected = max(min(F(1), (len(ps) - sorted(ps).index(q)) * q) for q in below)
        assert functions.holm(p, ps) == expected


def test_holm_with_missing_members() -> None:
    family = [F(1, 100), None, F(1, 10)]
    assert functions.holm(F(1, 100), family) is None
    assert functions.holm(F(1, 100), family, missing="dropped") == F(2, 100)
    assert functions.holm(F(1, 100), family, missing="counted") == F(3, 100)
    assert functions.holm(None, family, missing="counted") is None
    with pytest.raises(Unworkable):
        functions.holm(F(1, 3), [F(1, 100)])


@given(
    st.integers(1, 80).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.sampled_from([80, 90, 95, 99])
)
def test_wilson_agrees_with_scipy(counted: tuple[int, int], level: int) -> None:
    hits, n = counted
    found = functions.wilson(hits, n, F(level, 100))
    assert found is not None
    expected = scipy.binomtest(hits, n).proportion_ci(level / 100, method="wilson")
    assert float(found["low"].number) == pytest.approx(expected.low, abs=1e-12)
    assert float(found["high"].number) == pytest.approx(expected.high, abs=1e-12)


def test_wilson_without_cases_is_undefined() -> None:
    assert functions.wilson(0, 0, F(95, 100)) is None
    assert functions.wilson(None, 3, F(95, 100)) is None


@pytest.mark.parametrize(
    ("level", "z"), [(95, "1.959963984540054"), (90, "1.644853626951473"), (99, "2.575829303548901")]
)
def test_normal_quantiles_have_fifteen_decimals(level: int, z: str) -> None:
    assert functions.normal_quantile((1 + F(level, 100)) / 2) == Decimal(z)


def test_order_statistics() -> None:
    assert lib.longest_run([True, True, False, True, None, True, True, True]) == 3
    assert lib.max_drawdown([F(1), F(-3), F(1), F(-1)]) == 3
    assert lib.max_drawdown([F(-2)]) == 2
    assert [lib.cut_off([5, 1, 4, 2, 3, 6, 7], group, 3) for group in (1, 2, 3, 4)] == [1, 3, 5, None]
    assert lib.cut_off([1, 2], 1, 3) is None


def test_texts() -> None:
    assert functions.occurrences("aa", "aaaa") == 3
    assert functions.occurrences("", "aaaa") == 0
    assert functions.offset("b", "abb") == 1
    assert functions.offset("x", "abb") is None
    assert functions.cut("abc", 1, 3) == "bc"
    assert functions.cut("abc", 1, 4) is None
    assert functions.chars("\U0001f600e") == 2


@pytest.mark.parametrize(
    ("x", "digits", "expected"), [(F(5, 100), 1, F(0)), (F(15, 100), 1, F(2, 10)), (F(-25, 10), 0, -2)]
)
def test_rounding_is_half_even(x: F, digits: int, expected: F) -> None:
    assert functions.rounded(x, digits) == expected


def test_roots() -> None:
    root = functions.square_root(F(2))
    assert root is not None
    assert str(root.number).startswith("1.4142135623730950488016887242096980785696718753769")
    assert functions.square_root(F(-1)) is None
    assert math.isclose(float(root.number), math.sqrt(2))


def test_seeds_are_numbers_where_they_are_written_so() -> None:
    assert resampling.generator("42").random() == random.Random(42).random()
    assert resampling.generator("karsa").random() == random.Random("karsa").random()
