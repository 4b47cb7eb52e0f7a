"""Rows meet by equal keys: against two loops, also where the keys are the places of the rows."""

from __future__ import annotations

import polars as pl
from hypothesis import example, given
from hypothesis import strategies as st

from protoc_runtime.engine.context import INDEX
from protoc_runtime.engine.meeting import met, numbered, within

KEYS = st.lists(st.none() | st.integers(0, 5), max_size=8)


def keys(values: list[int | None]) -> pl.Series:
    return pl.Series(values, dtype=INDEX)


def expected(left: list[int | None], right: list[int | None]) -> list[tuple[int, int]]:
    return [
        (here, there)
        for here, one in enumerate(left)
        for there, other in enumerate(right)
        if one is not None and one == other
    ]


@given(KEYS, st.one_of(KEYS, st.integers(0, 6).map(lambda size: list(range(size)))))
@example([3, None, 0, 0], [0, 1, 2])
@example([], [0, 1])
@example([0, 1], [])
def test_equal_keys_meet_in_order(left: list[int | None], right: list[int | None]) -> None:
    one, other = met({"k": keys(left)}, {"k": keys(right)})
    assert list(zip(one.to_list(), other.to_list(), strict=True)) == expected(left, right)
    assert one.dtype == other.dtype == INDEX


@given(KEYS, KEYS, st.data())
def test_every_key_has_to_be_equal(left: list[int | None], right: list[int | None], data: st.DataObject) -> None:
    sides = [
        data.draw(st.lists(st.sampled_from(["a", "b"]), min_size=len(one), max_size=len(one))) for one in (left, right)
    ]
    one, other = met(
        {"k": keys(left), "m": pl.Series(sides[0], dtype=pl.String)},
        {"k": keys(right), "m": pl.Series(sides[1], dtype=pl.String)},
    )
    pairs = [(here, there) for here, there in expected(left, right) if sides[0][here] == sides[1][there]]
    assert list(zip(one.to_list(), other.to_list(), strict=True)) == pairs


@given(KEYS)
def test_keys_that_number_their_rows(values: list[int | None]) -> None:
    assert numbered(keys(values)) == (values == list(range(len(values))))


def test_numbers_of_another_kind_do_not_number_rows() -> None:
    assert not numbered(pl.Series([0, 1], dtype=pl.Int64))


@given(KEYS, st.integers(0, 6))
def test_a_place_beyond_the_rows_is_none(values: list[int | None], size: int) -> None:
    assert within(keys(values), size).to_list() == [v if v is not None and v < size else None for v in values]
