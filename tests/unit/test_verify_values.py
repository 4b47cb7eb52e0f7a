"""The values of the generated verifier: three-valued logic, exact numbers, comparison, cells."""

from __future__ import annotations

import itertools
import json
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protoc_compiler.emit.support import cells, values
from protoc_compiler.emit.support.values import Anything, Ratio, Real

TRUTH = (True, False, None)


@pytest.mark.parametrize(("a", "b"), list(itertools.product(TRUTH, repeat=2)))
def test_and_or_are_kleene(a: bool | None, b: bool | None) -> None:
    both = False if False in (a, b) else None if None in (a, b) else True
    assert values.all_of(a, b) is both
    assert values.any_of(values.not_(a), values.not_(b)) is values.not_(both)
    assert values.every([a, b]) is both
    assert values.some([values.not_(a), values.not_(b)]) is values.not_(both)


def test_quantifiers_over_nothing() -> None:
    assert values.every([]) is None
    assert values.some([]) is False
    assert values.none([]) is True


def test_a_filter_must_be_defined() -> None:
    with pytest.raises(values.Unworkable):
        values.holds(None)


def test_first_match_stops_at_the_first_line_that_is_met() -> None:
    lines = [(lambda: False, lambda: 1), (lambda: True, lambda: 2), (lambda: None, lambda: 3)]
    assert values.first_match(*lines, otherwise=lambda: 4) == 2
    assert values.first_match((lambda: None, lambda: 1), otherwise=lambda: 4) is None
    assert values.first_match((lambda: False, lambda: 1), otherwise=lambda: 4) == 4


@given(st.integers(-1000, 1000), st.integers(-1000, 1000).filter(bool), st.fractions())
def test_a_ratio_keeps_its_counts_and_computes_as_its_value(num: int, den: int, other: Fraction) -> None:
    ratio = values.counts(num, den)
    assert ratio is not None
    assert ratio.raw in ((num, den), (-num, -den))
    assert ratio.raw[1] > 0
    assert ratio == Fraction(num, den)
    assert type(values.plus(ratio, other)) is Fraction
    assert values.plus(ratio, other) == Fraction(num, den) + other


def test_division_by_zero_is_undefined() -> None:
    assert values.counts(3, 0) is None
    assert values.over(Fraction(1), 0) is None
    assert values.over(None, 0) is None


@pytest.mark.parametrize("function", [values.eq, values.ne, values.lt, values.le, values.gt, values.ge, values.plus])
def test_comparison_and_arithmetic_are_strict(function: object) -> None:
    assert function(None, 1) is None  # type: ignore[operator]
    assert function(1, None) is None  # type: ignore[operator]


def test_chains_are_strict_as_a_whole() -> None:
    assert values.chain(3, ">", 2, ">", 1) is True
    assert values.chain(1, ">", 2, ">", None) is None
    assert values.chain(3, ">", 2, ">", 2) is False


def test_membership() -> None:
    assert values.among(1, [2, None, 1]) is True
    assert values.among(1, [2, None]) is None
    assert values.among(1, [2]) is False
    assert values.among(None, [2]) is None
    assert values.within(3, 3, 5) is True


def test_kinds_are_distinct_in_columns_of_any_value() -> None:
    one, text, true = cells.of_anything((), 1), cells.of_anything((), "1"), cells.of_anything((), True)
    assert len({one, text, true}) == 3
    assert values.eq(one, cells.of_anything((), Fraction(1))) is True
    assert values.eq(one, true) is False
    assert values.eq(one, 1) is True
    assert values.eq(true, True) is True
    assert values.eq(cells.of_anything((), {"a": [1, None]}), cells.of_anything((), {"a": [Fraction(1), None]})) is True


def test_reals_compare_on_fifty_digits() -> None:
    third = Real(values.PROMISED.divide(Decimal(1), Decimal(3)), "why")
    assert values.eq(third, Fraction(1, 3)) is True
    assert values.lt(third, Fraction(1, 3) + Fraction(1, 10**30)) is True


# --- cells --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ['{"a": NaN}', '{"a": Infinity}', '{"a": -Infinity}', '{"a": 1, "a": 2}', '{"a": "\\ud800"}', '{"\\udfff": 1}',
     '{"a": 1e999999}', '{"a": ' + "9" * 500 + "}", "[" * 100_000],
)  # fmt: skip
def test_json_that_is_refused(text: str) -> None:
    with pytest.raises((cells.Wrong, json.JSONDecodeError)):
        cells.parse_json(text)


def test_numbers_are_the_decimals_written() -> None:
    assert cells.parse_json('{"a": 0.1, "b": 1e2, "c": -0.0, "d": 7}') == {
        "a": Fraction(1, 10),
        "b": 100,
        "c": 0,
        "d": 7,
    }
    assert cells.parse_json('"\\ud83d\\ude00"') == "\U0001f600"


@pytest.mark.parametrize(
    ("kind", "raw", "value"),
    [
        (("quantity", "s", "ms"), 250, Fraction(1, 4)),
        (("quantity", "B", "KiB"), 2, 2048),
        (("int",), Fraction(2), 2),
        (("digest",), "sha256:" + "a" * 64, "a" * 64),
        (("set", ("text",)), ["b", "a"], frozenset("ab")),
        (("list", ("int",)), [2, 1, 2], (2, 1, 2)),
    ],
)
def test_cells_by_type(kind: tuple[object, ...], raw: object, value: object) -> None:
    assert cells.cell(kind, raw) == value


@pytest.mark.parametrize(
    ("kind", "raw"),
    [
        (("bool",), 1),
        (("int",), True),
        (("int",), Fraction(1, 2)),
        (("int",), 2**53 + 1),
        (("number",), "1"),
        (("text",), 1),
        (("enum", ("a", "b")), "c"),
        (("time",), "2026-08-10"),
        (("time",), "2026-08-10T09:00:00"),
        (("date",), "20260810"),
        (("digest",), "A" * 64),
        (("digest",), "a" * 63),
        (("set", ("text",)), ["a", None]),
        (("set", ("text",)), ["b", "a", "b"]),
        (("list", ("int",)), "a"),
    ],
)
def test_cells_that_do_not_fit(kind: tuple[object, ...], raw: object) -> None:
    with pytest.raises(cells.Wrong):
        cells.cell(kind, raw)


def test_a_cast_of_another_kind_is_an_error() -> None:
    assert cells.cast(Anything("number", Fraction(3)), ("int",)) == 3
    assert cells.cast(None, ("int",)) is None
    with pytest.raises(values.Stopped, match="E1253"):
        cells.cast(Anything("text", "3"), ("int",))


def test_csv_cells() -> None:
    assert cells.from_text(("text",), "") is None
    assert cells.from_text(("number",), "0.10") == Fraction(1, 10)
    assert cells.from_text(("bool",), "true") is True
    assert cells.from_text(("text",), "true") == "true"
    assert cells.from_text(("any",), "word") == "word"
    with pytest.raises(cells.Wrong):
        cells.from_text(("number",), "x")


def test_ratio_is_exported_as_counted() -> None:
    assert Ratio(6, 38).raw == (6, 38)
