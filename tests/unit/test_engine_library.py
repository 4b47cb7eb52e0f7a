"""Aggregates and functions against plain Python, for many small groups at once."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from fractions import Fraction
from math import comb, prod
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from protoc_runtime.engine import names, of, over
from protoc_runtime.engine.api import lift, undefined
from protoc_runtime.engine.context import INDEX, ONE, Context
from protoc_runtime.engine.plain import Plain
from protoc_runtime.engine.rows import Rows
from protoc_runtime.engine.study import WEIGHT
from protoc_runtime.tables import TableData
from unit.engine_tables import study

KINDS = {"id": "int", "group": "ref groups", "x": "number", "y": "number", "b": "bool", "c": "bool", "n": "int"}
GROUPS = 4

values = st.none() | st.fractions(-5, 5, max_denominator=3) | st.integers(-3, 3).map(Fraction)
flags = st.sampled_from([True, False, None])
lines = st.lists(
    st.tuples(st.integers(0, GROUPS - 1), values, values, flags, flags, st.none() | st.integers(-9, 9)), max_size=25
)
Line = tuple[int, Any, Any, Any, Any, Any]


def opened(rows: list[Line]) -> tuple[Rows, list[list[Line]]]:
    """The rows of each group as one context, and the same as Python lists."""
    table = [(at, *row) for at, row in enumerate(rows)]
    made = study({"groups": ({"group": "int"}, [(n,) for n in range(GROUPS)]), "rows": (KINDS, table)})
    groups = made.rows("groups")
    inner = made.rows("rows")
    return groups.open(inner, (inner["group"], groups.row)), [[r for r in rows if r[0] == g] for g in range(GROUPS)]


def strict(make: Callable[..., Any], empty: Any = None) -> Callable[..., Any]:
    def computed(*columns: list[Any]) -> Any:
        if any(value is None for column in columns for value in column):
            return None
        return make(*columns) if columns[0] else empty

    return computed


def best(xs: list[Any]) -> Any:
    run = longest = 0
    for x in xs:
        run = run + 1 if x is True else 0
        longest = max(longest, run)
    return longest


def fall(xs: list[Any]) -> Any:
    sums = [sum(xs[:k], Fraction(0)) for k in range(len(xs) + 1)]
    return max(max(sums[: k + 1]) - sums[k] for k in range(len(sums)))


ONE_COLUMN: dict[str, Callable[[list[Any]], Any]] = {
    "sum": strict(sum, 0),
    "mean": strict(lambda xs: sum(xs, Fraction(0)) / len(xs)),
    "min": strict(min),
    "max": strict(max),
    "median": strict(lambda xs: statistics.median(map(Fraction, xs))),
    "variance": strict(lambda xs: statistics.variance(map(Fraction, xs)) if len(xs) > 1 else None),
    "distinct": strict(lambda xs: len(set(xs)), 0),
    "list": strict(tuple, ()),
    "max_drawdown": strict(fall),
    "p95": strict(lambda xs: sorted(xs)[-(-len(xs) * 95 // 100) - 1]),
    "product": strict(prod, 1),
}


@pytest.mark.parametrize("name", sorted(ONE_COLUMN))
@settings(max_examples=40)
@given(rows=lines)
def test_aggregates_of_numbers(name: str, rows: list[Line]) -> None:
    context, groups = opened(rows)
    for column, at in (("x", 1), ("n", 5)):
        found = getattr(over, name)(context, context[column]).values()
        assert found == [ONE_COLUMN[name]([row[at] for row in group]) for group in groups]


@settings(max_examples=40)
@given(rows=lines)
def test_counts_and_rates(rows: list[Line]) -> None:
    context, groups = opened(rows)
    assert over.count(context).values() == [len(group) for group in groups]
    rates = [strict(lambda bs: Fraction(sum(bs), len(bs)))([row[3] for row in group]) for group in groups]
    found = over.rate(context, context["b"]).values()
    assert found == rates
    assert all(one is None or one.den == len(group) for one, group in zip(found, groups, strict=True))
    assert over.longest_run(context, context["b"]).values() == [best([row[3] for row in group]) for group in groups]


@settings(max_examples=40)
@given(rows=lines)
def test_quantifiers_are_kleene(rows: list[Line]) -> None:
    context, groups = opened(rows)
    some, every = [], []
    for group in groups:
        held = [row[3] for row in group]
        some.append(True if True in held else None if None in held else False)
        every.append(False if False in held else None if None in held or not held else True)
    assert over.some(context, context["b"]).values() == some
    assert over.no(context, context["b"]).values() == [None if one is None else not one for one in some]
    assert over.every(context, context["b"]).values() == every
    assert over.some(context).values() == [bool(group) for group in groups]


@settings(max_examples=40)
@given(rows=lines, share=st.fractions(0, 1))
def test_quantiles(rows: list[Line], share: Fraction) -> None:
    context, groups = opened(rows)

    def nearest(xs: list[Any]) -> Any:
        return next(x for k, x in enumerate(sorted(xs), 1) if k >= share * len(xs))

    def linear(xs: list[Any]) -> Any:
        place = share * (len(xs) - 1)
        low = int(place)
        ranked = sorted(xs)
        return ranked[low] + (place - low) * (ranked[min(low + 1, len(xs) - 1)] - ranked[low])

    column = [[row[1] for row in group] for group in groups]
    assert over.quantile(context, context["x"], at=share).values() == [strict(nearest)(xs) for xs in column]
    found = over.quantile(context, context["x"], at=share, method="linear").values()
    assert found == [strict(linear)(xs) for xs in column]


def pairs(xs: list[Any], bs: list[Any]) -> Any:
    wins = [
        2 if x > y else 1 if x == y else 0
        for x, b in zip(xs, bs, strict=False)
        if b
        for y, c in zip(xs, bs, strict=False)
        if not c
    ]
    return Fraction(sum(wins), 2 * len(wins)) if wins else None


def mcnemar(bs: list[Any], cs: list[Any]) -> Any:
    one = sum(b and not c for b, c in zip(bs, cs, strict=False))
    two = sum(c and not b for b, c in zip(bs, cs, strict=False))
    tail = sum(comb(one + two, k) for k in range(min(one, two) + 1))
    return {"p": min(Fraction(1), Fraction(2 * tail, 2 ** (one + two))), "only_first": one, "only_second": two}


def squared(xs: list[Any], ys: list[Any]) -> Any:
    n = len(xs)
    mx, my = sum(xs, Fraction(0)) / n, sum(ys, Fraction(0)) / n
    cov = sum((x - mx) * (y - my) for x, y in zip(xs, ys, strict=False))
    vx, vy = sum((x - mx) ** 2 for x in xs), sum((y - my) ** 2 for y in ys)
    return cov * abs(cov) / (vx * vy) if vx and vy else None


def ranks(xs: list[Any]) -> list[Fraction]:
    return [Fraction(2 * sum(y < x for y in xs) + sum(y == x for y in xs) + 1, 2) for x in xs]


@settings(max_examples=40)
@given(rows=lines)
def test_statistics_of_two_columns(rows: list[Line]) -> None:
    context, groups = opened(rows)
    columns = [[[row[at] for row in group] for at in range(6)] for group in groups]
    assert over.auc(context, context["x"], context["b"]).values() == [strict(pairs)(c[1], c[3]) for c in columns]
    none = {"p": None, "only_first": None, "only_second": None}
    found = over.mcnemar(context, context["b"], context["c"]).values()
    assert found == [strict(mcnemar)(c[3], c[4]) or none for c in columns]
    found = over.correlation(context, context["x"], context["y"])["signed_square"].values()
    assert found == [strict(squared)(c[1], c[2]) for c in columns]
    found = over.spearman(context, context["x"], context["y"])["signed_square"].values()
    assert found == [strict(lambda xs, ys: squared(ranks(xs), ranks(ys)))(c[1], c[2]) for c in columns]


def test_spearman_agrees_with_another_implementation() -> None:
    xs, ys = [3, 1, 4, 1, 5, 9, 2, 6], [2, 7, 1, 8, 2, 8, 1, 8]
    context, _ = opened([(0, Fraction(x), Fraction(y), True, True, 0) for x, y in zip(xs, ys, strict=True)])
    found = over.spearman(context, context["x"], context["y"])["value"].values()
    assert found[1:] == [None, None, None]
    assert float(found[0].shown()) == pytest.approx(stats.spearmanr(xs, ys).statistic)
    context, _ = opened([(0, Fraction(x), Fraction(x), True, True, 0) for x in range(4)])
    assert over.spearman(context, context["x"], context["y"])["value"].value() == 1


@given(st.lists(st.integers(0, 100).map(lambda n: Fraction(n, 1000)), max_size=12))
def test_benjamini_hochberg_agrees_with_another_implementation(ps: list[Fraction]) -> None:
    context, _ = opened([(0, p, p, True, True, 0) for p in ps])
    limit = over.benjamini_hochberg(context, context["x"], level=Fraction(5, 100))["limit"].value()
    ranked = sorted(ps)
    passing = [p for k, p in enumerate(ranked, 1) if p * len(ps) <= k * Fraction(5, 100)]
    assert limit == (max(passing) if passing else None)


@given(st.lists(values, max_size=12), st.integers(1, 4))
def test_cut_offs_divide_from_the_bottom(xs: list[Any], many: int) -> None:
    context, _ = opened([(0, x, x, True, True, 0) for x in xs])
    known = None not in xs and len(xs) >= many
    size = len(xs) // many
    for group in range(1, many + 1):
        found = over.cut_off(context, context["x"], group=group, of=many).value()
        assert found == (sorted(xs)[size * (group - 1)] if known else None)
    assert over.cut_off(context, context["x"], group=many + 1, of=many).value() is None


@given(st.integers(0, 30), st.integers(0, 30))
def test_wilson_agrees_with_another_implementation(hits: int, misses: int) -> None:
    found = of.wilson(hits, hits + misses, level=Fraction(95, 100)).values()[0]
    if hits + misses == 0:
        assert found == {"low": None, "high": None}
        return
    expected = stats.binomtest(hits, hits + misses).proportion_ci(0.95, method="wilson")
    assert float(found["low"].shown()) == pytest.approx(expected.low, abs=1e-11)
    assert float(found["high"].shown()) == pytest.approx(expected.high, abs=1e-11)


@given(st.lists(st.integers(0, 60).map(lambda n: Fraction(n, 100)) | st.none(), min_size=1, max_size=6))
def test_holm_adjusts_each_member_of_its_family(family: list[Fraction | None]) -> None:
    known = sorted(p for p in family if p is not None)
    for missing, size in (("dropped", len(known)), ("counted", len(family))):
        for p in known:
            adjusted = max(min(Fraction(1), (size - k) * q) for k, q in enumerate(known) if q <= p)
            assert of.holm(p, list(family), missing=missing).value() == adjusted
    if len(known) < len(family):
        assert all(of.holm(p, list(family)).value() is None for p in family)
    assert of.holm(undefined, [Fraction(1, 2)], missing="counted").value() is None
    if len(known) == len(family):
        assert of.holm(known[0], lift(tuple(family))).value() == of.holm(known[0], list(family)).value()


def test_texts_are_counted_in_code_points() -> None:
    assert of.chars("a\U0001f600é").value() == 3
    assert of.occurrences("aa", "aaaa").value() == 3
    assert of.occurrences("", "aaaa").value() == 0
    assert of.offset("é", "\U0001f600é é").value() == 1
    assert of.offset("x", "abc").value() is None
    assert of.slice("\U0001f600bcd", 1, 3).value() == "bc"
    assert of.slice("abc", 2, 1).value() is None
    assert of.slice("abc", 0, 4).value() is None
    assert of.slice("abc", -1, 2).value() is None
    assert of.chars(undefined).value() is None


def _places(piece: str | None, text: str | None) -> tuple[int | None, int | None]:
    """How often and where, by sliding over the code points."""
    if piece is None or text is None:
        return None, None
    at = [n for n in range(len(text)) if piece and text[n : n + len(piece)] == piece]
    return len(at), at[0] if at else None


@settings(max_examples=60, deadline=None)
@given(
    texts=st.lists(st.none() | st.text("aé“\U0001f600", max_size=12), min_size=1, max_size=5),
    asked=st.lists(st.tuples(st.integers(0, 4), st.none() | st.text("aé“\U0001f600", max_size=3)), max_size=40),
)
def test_quotes_of_many_rows_are_found_as_by_hand(texts: list[str | None], asked: list[tuple[int, str | None]]) -> None:
    check_quotes(texts, [(row % len(texts), piece) for row, piece in asked])


def test_quotes_of_more_texts_than_are_cut_at_a_time() -> None:
    texts: list[str | None] = [f"{n}: “{'é' * (n % 7)}”, said {n}" for n in range(2_500)]
    check_quotes(texts, [(n, piece) for n in range(2_500) for piece in ("”", "said", f"{n}")])


def check_quotes(texts: list[str | None], pairs: list[tuple[int, str | None]]) -> None:
    """Counts and places of each (row of a text, piece)."""
    whole = Plain(Context(len(texts), ONE), pl.Series(texts, dtype=pl.String), "text")
    at = Context(len(pairs), ONE)
    text = whole.take(pl.Series([row for row, _ in pairs], dtype=INDEX), at)
    piece = Plain(at, pl.Series([piece for _, piece in pairs], dtype=pl.String), "text")
    due = [_places(piece, texts[row]) for row, piece in pairs]
    assert of.occurrences(piece, text).values() == [count for count, _ in due]
    assert of.offset(piece, text).values() == [first for _, first in due]


def test_numbers_on_values() -> None:
    assert of.floor(Fraction(-7, 2)).value() == -4
    assert of.abs(Fraction(-7, 2)).value() == Fraction(7, 2)
    assert of.min(3, Fraction(5, 2), 4).value() == Fraction(5, 2)
    assert of.max(3, undefined).value() is None
    assert of.indicator(lift(True)).value() == 1
    assert of.round(Fraction(2, 3), digits=2).value() == Fraction(67, 100)
    assert of.sqrt(Fraction(9, 4)).value().shown() == "1.500000000000"
    assert of.size(lift((1, 2, 3))).value() == 3


@settings(max_examples=40)
@given(rows=lines, weights=st.lists(st.integers(1, 3), max_size=25))
def test_a_weight_stands_for_as_many_rows(rows: list[Line], weights: list[int]) -> None:
    weights = (weights + [1] * len(rows))[: len(rows)]
    many = [row for row, weight in zip(rows, weights, strict=True) for _ in range(weight)]
    long, _ = opened(many)
    short, _ = opened(rows)
    source: Any = short.source
    table = source.data["rows"]
    frame = table.frame.with_columns(pl.Series(WEIGHT, weights, dtype=pl.Int64))
    source.data["rows"] = TableData("rows", frame, table.scales)
    assert over.count(short).values() == over.count(long).values()
    for name in ("sum", "mean", "median", "p95", "variance", "min", "distinct", "max_drawdown", "product"):
        aggregate = getattr(over, name)
        assert aggregate(short, short["x"]).values() == aggregate(long, long["x"]).values(), name
    assert over.rate(short, short["b"]).values() == over.rate(long, long["b"]).values()
    assert over.auc(short, short["x"], short["b"]).values() == over.auc(long, long["x"], long["b"]).values()


def test_large_sums_are_exact() -> None:
    numbers = [Fraction(10**11 + 1, 10**6)] * 3 + [Fraction(1, 3)]
    context, _ = opened([(0, x, x, True, True, 0) for x in numbers])
    assert over.sum(context, context["x"]).values()[0] == sum(numbers)
    frame = pl.DataFrame({"id": range(4), "v": pl.Series([2**62, 2**62, 2**62, 1], dtype=pl.Int64)})
    made = study({"t": ({"id": "int", "v": "int"}, [])})
    made.data["t"] = TableData("t", frame, {})  # type: ignore[index]
    rows = made.rows("t")
    assert over.sum(rows, rows["v"]).values() == [3 * 2**62 + 1]
    assert over.mean(rows, rows["v"]).value() == Fraction(3 * 2**62 + 1, 4)


def test_every_name_is_published() -> None:
    assert all(callable(getattr(over, name)) for name in names.AGGREGATES)
    assert all(callable(getattr(of, name)) for name in names.FUNCTIONS)
    modules = {"annotations", "values", "families", "proportions"}
    public = {name for name in vars(of) if not name.startswith("_")} - modules
    assert public == set(names.FUNCTIONS)
