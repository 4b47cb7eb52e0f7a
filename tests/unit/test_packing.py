"""Several sums in one word are the sums."""

from __future__ import annotations

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from protoc_runtime.engine.packing import sums

WIDE = st.one_of(st.integers(-3, 3), st.integers(-(2**30), 2**30), st.integers(0, 2**55), st.integers(0, 2**61 - 1))


@given(st.data(), st.integers(1, 5), st.integers(1, 6), st.integers(1, 4))
def test_each_column_has_its_own_sum(data, count, units, draws):
    columns = [data.draw(st.lists(WIDE, min_size=units, max_size=units)) for _ in range(count)]
    terms = 4
    places = data.draw(st.lists(st.integers(0, units - 1), min_size=draws * terms, max_size=draws * terms))
    calls = []

    def add(column: pl.Series) -> pl.Series:
        calls.append(len(column))
        return column.gather(places).reshape((draws, terms)).arr.sum()

    found = sums([pl.Series(column, dtype=pl.Int64) for column in columns], terms, add)
    picked = [places[at * terms : (at + 1) * terms] for at in range(draws)]
    assert [one.to_list() for one in found] == [[sum(column[at] for at in own) for own in picked] for column in columns]
    assert len(calls) <= count


def test_small_numbers_share_one_call():
    columns, calls = [pl.Series([0, 1, 7]), pl.Series([5, 5, 5]), pl.Series([-2, 0, 2])], []

    def add(column: pl.Series) -> pl.Series:
        calls.append(column)
        return pl.Series([column.sum()])

    assert [one.to_list() for one in sums(columns, 3, add)] == [[8], [15], [0]]
    assert len(calls) == 1


def test_more_than_a_short_word_holds_shares_a_long_one():
    columns, calls = [pl.Series([0, 2**60]), pl.Series([2**59, 0]), pl.Series([1, 0])], []

    def add(column: pl.Series) -> pl.Series:
        calls.append(column.dtype)
        return column.gather([0, 1, 1]).reshape((1, 3)).arr.sum()

    assert [one.to_list() for one in sums(columns, 3, add)] == [[2**61], [2**59], [1]]
    assert calls == [pl.Int128]


def test_a_sum_of_all_bits_of_a_word():
    columns = [pl.Series([0, 2**61 - 1]), pl.Series([0, 1])]

    def add(column: pl.Series) -> pl.Series:
        return column.gather([1, 1, 1, 1]).reshape((1, 4)).arr.sum()

    assert [one.to_list() for one in sums(columns[:1], 4, add)] == [[4 * (2**61 - 1)]]
    assert [one.to_list() for one in sums(columns, 4, add)] == [[4 * (2**61 - 1)], [4]]
