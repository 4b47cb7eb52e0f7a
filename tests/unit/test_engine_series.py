"""Columns without a query plan are those that polars plans."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protoc_runtime.engine.series import defined, filled, repeated, taken

NUMBERS = st.lists(st.none() | st.integers(-5, 5), min_size=1, max_size=8)
KINDS = [pl.Int64, pl.Float64, pl.Boolean, pl.String, pl.Int128]


def column(values: list[int | None], kind: type[pl.DataType]) -> pl.Series:
    return pl.Series(values, dtype=pl.Int64).cast(kind)


@given(NUMBERS, st.data(), st.sampled_from(KINDS))
def test_values_at_positions(values: list[int | None], data: st.DataObject, kind: type[pl.DataType]) -> None:
    places = data.draw(st.lists(st.none() | st.integers(0, len(values) - 1), max_size=8))
    series, index = column(values, kind), pl.Series(places, dtype=pl.UInt32)
    found = taken(series, index)
    assert found.dtype == kind
    assert found.to_list() == series.gather(index).to_list()
    assert found.to_list() == [None if at is None else series.to_list()[at] for at in places]


def test_a_position_that_is_none_is_no_value() -> None:
    with pytest.raises(Exception, match="out of bounds"):
        taken(pl.Series([1, 2]), pl.Series([2], dtype=pl.UInt32))


@given(NUMBERS, st.sampled_from(KINDS[:2]))
def test_gaps_are_filled_and_found(values: list[int | None], kind: type[pl.DataType]) -> None:
    series = column(values, kind)
    assert filled(series, 0).to_list() == [0 if value is None else value for value in values]
    assert defined(series).to_list() == [value is not None for value in values]


@given(st.none() | st.booleans(), st.integers(0, 5))
def test_a_value_is_repeated(value: bool | None, size: int) -> None:
    found = repeated(value, size, pl.Boolean)
    assert found.dtype == pl.Boolean
    assert found.to_list() == [value] * size
