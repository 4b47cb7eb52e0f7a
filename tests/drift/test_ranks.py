"""Which ranked value is never the greater one, and what follows from that: against values that are computed here."""

from __future__ import annotations

import os
import statistics
from fractions import Fraction
from math import ceil, floor

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from protoc_compiler import core
from protoc_compiler.drift.entails import Given, entails
from protoc_compiler.drift.expecting import expected_by_both
from protoc_compiler.drift.forms import Form
from protoc_compiler.drift.normal import Normal
from protoc_compiler.drift.ranges import Range, Ranges, hull, plus, times, within
from protoc_compiler.drift.ranks import MEAN, Rank, at_most, ranked
from protoc_compiler.drift.reading import read

EXAMPLES = 4_000 if os.environ.get("PROTOC_LONG") else 100
SPEC = """\
protoc: 1
protocol: {{id: ranks, version: 1, title: Values of one table}}
data:
  tables:
    t: {{key: k, columns: {{k: text, x: decimal?, y: decimal}}, expect: [{expected}]}}
procedure:
  subject: {{python: "s.py:f", of: t, sees: [y]}}
gates:
  there: {{says: It is at least 0., must: count(t) >= 0}}
verdict:
  - PASS when all gates have held
  - FAIL otherwise
report: {{released: [PASS]}}
"""
EXPECTED = {
    "nothing": "count(t) >= 0",
    "not negative": "no t where x is defined and x < 0",
    "a share": "(all t have x >= 0 and x <= 1) is not false",
}
SIDES = {name: read("p.yaml", "p.yaml", SPEC.format(expected=text).encode()).protocol for name, text in
         EXPECTED.items()}  # fmt: skip
ROW = core.Type("row", table="t")
AT = ("0", "0.25", "0.5", "0.9", "0.95", "1")
FUNCTIONS = ("min", "max", "median", "mean", "p95", *(f"near {at}" for at in AT), *(f"line {at}" for at in AT))


def aggregate(function: str, column: str = "x") -> core.Expr:
    rows = core.Rows("r", "t")
    value = core.Column(core.NUMBER, core.RowVar(ROW, "r"), column)
    kind, _, at = function.partition(" ")
    if not at:
        return core.Aggregate(core.NUMBER, function, rows, (value,), ())
    options = [("at", core.Const(core.NUMBER, Fraction(at)))]
    if kind == "line":
        options.append(("method", core.Const(core.TEXT, "linear")))
    return core.Aggregate(core.NUMBER, "quantile", rows, (value,), tuple(options))


def computed(function: str, values: list[Fraction | None]) -> Fraction | None:
    """The value by its definition in the page on statistics."""
    if not values or None in values:
        return None
    found = sorted(value for value in values if value is not None)
    kind, _, at = function.partition(" ")
    if kind in ("near", "p95"):
        return found[max(ceil(Fraction(at or "0.95") * len(found)), 1) - 1]
    if kind == "line":
        place = (len(found) - 1) * Fraction(at)
        low = floor(place)
        above = found[min(low + 1, len(found) - 1)]
        return found[low] + (above - found[low]) * (place - low)
    of = {"min": min, "max": max, "median": statistics.median, "mean": statistics.mean}[kind]
    return Fraction(of(found))


values = st.lists(st.fractions(-3, 3, max_denominator=4), min_size=1, max_size=9)


def rank(function: str) -> Rank:
    found = ranked(Normal().of(aggregate(function)))
    assert found is not None
    return found[1]


@given(st.sampled_from(FUNCTIONS), st.sampled_from(FUNCTIONS), values)
@settings(max_examples=EXAMPLES)
@example("near 0.5", "median", [Fraction(1), Fraction(2)])
@example("p95", "line 0.95", [Fraction(1), Fraction(2)])
def test_a_value_of_a_lower_rank_is_never_greater(one: str, other: str, found: list[Fraction | None]) -> None:
    least, greatest = computed(one, found), computed(other, found)
    assert least is not None
    assert greatest is not None
    if at_most(rank(one), rank(other)):
        assert least <= greatest


def test_what_is_not_known_of_ranks_is_not_true() -> None:
    """Of each pair that is left open there are values on which the first is the greater one; places between two values
    are compared among each other, and with the nearest ranks by the median alone."""
    tried = [[Fraction(value) for value in found] for found in
             ([0, 1], [0, 2, 3], [0, 0, 0, 1], [0, 1, 1, 1], [0, 1, 2, 3, 4], list(range(12)), [0] * 9 + [9],
              [-9] + [0] * 9, list(range(21)), [0] * 39 + [9])]  # fmt: skip
    for one in FUNCTIONS:
        for other in FUNCTIONS:
            between = [function.startswith("line") for function in (one, other)]
            if any(between) and not all(between):
                continue
            if not at_most(rank(one), rank(other)):
                pairs = [(computed(one, list(found)), computed(other, list(found))) for found in tried]
                assert any(a is not None and b is not None and a > b for a, b in pairs), (one, other)


def test_what_is_ranked_otherwise_has_no_rank() -> None:
    named = core.Global(core.NUMBER, "metrics", "q")
    rows, value = core.Rows("r", "t"), core.Column(core.NUMBER, core.RowVar(ROW, "r"), "x")
    unknown = core.Aggregate(core.NUMBER, "quantile", rows, (value,), (("at", named),))
    beyond = core.Aggregate(core.NUMBER, "quantile", rows, (value,), (("at", core.Const(core.NUMBER, Fraction(2))),))
    for expr in (unknown, beyond, core.Aggregate(core.NUMBER, "sum", rows, (value,), ())):
        assert ranked(Normal().of(expr)) is None
    assert rank("mean") == MEAN


# --- sums -----------------------------------------------------------------------------------------------------------

Term = tuple[Fraction, str]
Side = tuple[list[Term], str, Fraction]
USED = ("median", "p95", "mean", "max", "near 0.25")
factors = st.sampled_from([Fraction(n, d) for n in (-2, -1, 1, 2, 3) for d in (1, 2)])
comparisons = st.tuples(
    st.lists(st.tuples(factors, st.sampled_from(USED)), min_size=1, max_size=3),
    st.sampled_from(["<", "<=", ">", ">=", "=="]),
    st.sampled_from([Fraction(n, 2) for n in range(-3, 5)]),
)


def formula(side: Side) -> core.Expr:
    terms, op, bound = side
    made: core.Expr = core.Const(core.NUMBER, Fraction(0))
    for factor, function in terms:
        product = core.Arithmetic(core.NUMBER, "*", core.Const(core.NUMBER, factor), aggregate(function))
        made = core.Arithmetic(core.NUMBER, "+", made, product)
    return core.Compare(core.BOOL, (made, core.Const(core.NUMBER, bound)), (op,))  # type: ignore[arg-type]


def holds(side: Side, found: list[Fraction | None]) -> bool:
    terms, op, bound = side
    values = [computed(function, found) for _, function in terms]
    if None in values:
        return False
    value = sum(factor * one for (factor, _), one in zip(terms, values, strict=True) if one is not None)
    return {"<": value < bound, "<=": value <= bound, ">": value > bound, ">=": value >= bound, "==": value == bound}[
        op
    ]


def _known(name: str) -> Given:
    return Given(range_of=Ranges(SIDES[name]).product)


KNOWN = {name: _known(name) for name in SIDES}
FORMS = Normal(SIDES["nothing"])  # the tables are the same


def form(value: core.Expr) -> Form:
    """The form of one formula: how large it may be is counted for each anew."""
    FORMS.size = 0
    return FORMS.of(value)


ENDS = {"nothing": (-3, 3), "not negative": (0, 3), "a share": (0, 1)}


def drawn(name: str) -> st.SearchStrategy[list[Fraction | None]]:
    low, high = ENDS[name]
    return st.lists(st.one_of(st.fractions(low, high, max_denominator=2), st.none()), max_size=5)


@given(st.sampled_from(sorted(SIDES)), comparisons, comparisons, st.data())
@settings(max_examples=EXAMPLES)
def test_a_comparison_that_follows_is_true_wherever_the_other_is(
    name: str, one: Side, other: Side, data: st.DataObject
) -> None:
    near = (
        [(factor + data.draw(st.sampled_from([0, 0, Fraction(1, 2)])), what) for factor, what in one[0]],
        one[1],
        other[2],
    )
    for second in (other, near):
        if entails(form(formula(one)), form(formula(second)), KNOWN[name]):
            for found in data.draw(st.lists(drawn(name), min_size=8, max_size=8)):
                assert not holds(one, found) or holds(second, found)


F = Fraction
FACTOR = [(F(1), "p95"), (F(-6, 5), "median")], "<=", F(0)
CLOSER = [(F(1), "p95"), (F(-27, 25), "median")], "<=", F(0)


@pytest.mark.parametrize(
    ("name", "one", "other"),
    [
        ("not negative", CLOSER, FACTOR),
        ("a share", CLOSER, FACTOR),
        ("nothing", ([(F(1), "p95")], "<=", F(3)), ([(F(1), "median")], "<=", F(4))),
        ("nothing", ([(F(1), "near 0.25")], ">", F(3)), ([(F(2), "max")], ">", F(6))),
        ("nothing", ([(F(1), "max")], "<", F(3)), ([(F(1), "mean")], "<=", F(3))),
        ("nothing", ([(F(1), "p95")], "==", F(3)), ([(F(1), "median")], "<=", F(3))),
        ("a share", ([(F(1), "mean"), (F(1), "max")], "<=", F(1)), ([(F(1), "mean"), (F(2), "max")], "<=", F(2))),
    ],
)
def test_what_a_reviewer_sees_at_once_follows(name: str, one: Side, other: Side) -> None:
    before, after = form(formula(one)), form(formula(other))
    assert entails(before, after, KNOWN[name])
    assert not entails(after, before, KNOWN[name])


def test_where_the_sign_is_not_known_nothing_follows() -> None:
    before, after = form(formula(CLOSER)), form(formula(FACTOR))
    assert not entails(before, after, KNOWN["nothing"])
    assert not entails(after, before, KNOWN["nothing"])
    sides = [(SIDES[name], FORMS) for name in ("not negative", "nothing")]
    both = expected_by_both(sides[0], sides[1])
    assert not entails(before, after, both)  # only one of the protocols expects it


def test_one_rank_is_one_value_by_whatever_name() -> None:
    for one, other in (("p95", "near 0.95"), ("median", "line 0.5"), ("max", "near 1"), ("min", "line 0")):
        assert entails(_limited(one, "<=", 3), _limited(other, "<=", 3))
        assert entails(_limited(other, "<=", 3), _limited(one, "<=", 3))


def _limited(function: str, op: str, bound: int, column: str = "x") -> tuple[object, ...]:
    operands = aggregate(function, column), core.Const(core.NUMBER, Fraction(bound))
    return form(core.Compare(core.BOOL, operands, (op,)))  # type: ignore[arg-type]


def test_a_limit_that_is_met_is_not_kept_below() -> None:
    assert not entails(_limited("p95", "<=", 3), _limited("median", "<", 3))
    assert entails(_limited("p95", "<", 3), _limited("median", "<", 3))
    assert entails(_limited("p95", "<", 3), _limited("median", "<=", 3))


def test_what_may_be_undefined_is_not_true_by_its_range() -> None:
    for column, follows in (("y", False), ("x", True)):
        assert entails(_limited("p95", "<=", 3, column), _limited("median", ">=", 0), KNOWN["a share"]) is follows


ends = st.one_of(st.none(), st.integers(-3, 3).map(Fraction))
points = st.fractions(-6, 6, max_denominator=3)


@given(ends, ends, ends, ends, points, points)
@settings(max_examples=EXAMPLES * 5)
def test_a_product_lies_in_the_range_of_the_product(
    low: Fraction | None, high: Fraction | None, least: Fraction | None, most: Fraction | None, x: Fraction, y: Fraction
) -> None:
    one, other = (low, high), (least, most)
    if _inside(x, one) and _inside(y, other):
        assert _inside(x * y, times(one, other))
        assert _inside(x + y, plus(one, other))
        assert _inside(x, hull([one, other]))
    if _inside(x, one) and _inside(x, other):
        assert _inside(x, within([one, other]))


def _inside(value: Fraction, known: Range) -> bool:
    return (known[0] is None or known[0] <= value) and (known[1] is None or value <= known[1])


@pytest.mark.parametrize(
    ("one", "other", "made"),
    [
        ((F(2), F(3)), (F(-1), None), (F(-3), None)),
        ((F(0), F(3)), (F(0), None), (F(0), None)),
        ((F(0), F(0)), (None, None), (F(0), F(0))),
        ((None, F(-1)), (F(2), F(3)), (None, F(-2))),
        ((F(-1), F(2)), (None, F(1)), (None, None)),
    ],
)
def test_the_range_of_a_product_is_no_wider_than_it_is(one: Range, other: Range, made: Range) -> None:
    assert times(one, other) == made


@pytest.mark.parametrize(
    ("expected", "known"),
    [
        ("all t have y >= 0", (F(0), None)),
        ("no t have y < 0 or y > 1", (F(0), F(1))),
        ("no t where x is defined have y < 0", (None, None)),
        ("(all t have y >= 0 and x < 5) is not false", (F(0), None)),
        ("(all t have y >= 0 or x < 5) is not false", (None, None)),
        ("all t have y == 2", (F(2), F(2))),
        ("some t have y >= 0", (None, None)),
        ("count(t where y >= 0) >= 1", (None, None)),
        ("all t where y > 1 have y >= 3", (None, None)),
    ],
)
def test_what_is_expected_of_every_row_is_a_range(expected: str, known: Range) -> None:
    side = read("p.yaml", "p.yaml", SPEC.format(expected=expected).encode()).protocol
    assert Ranges(side).of(("column", ("row", 1, "t"), "y")) == known
    for function in ("mean", "max", "median"):
        assert Ranges(side).of(Normal(side).of(aggregate(function, "y"))) == known


def test_other_values_are_not_ranked_among_these() -> None:
    one = core.Compare(core.BOOL, (aggregate("p95"), core.Const(core.NUMBER, Fraction(3))), ("<=",))
    other = core.Compare(core.BOOL, (aggregate("median", "y"), core.Const(core.NUMBER, Fraction(3))), ("<=",))
    assert not entails(form(one), form(other), KNOWN["a share"])
