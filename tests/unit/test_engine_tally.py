"""Counting few rows in a loop and many in a query gives the same."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protoc_runtime.engine import tally as module
from protoc_runtime.engine.context import INDEX, ONE, Context
from protoc_runtime.engine.rows import Rows
from protoc_runtime.engine.series import repeated
from protoc_runtime.engine.tally import Tally, tally


class Stored:
    """Where rows find how often each stored row stands for itself."""

    def __init__(self, weights: pl.Series | None) -> None:
        self.found = weights

    def weights(self, root: str) -> pl.Series | None:
        return self.found


def both(rows: Rows, values: pl.Series | None) -> list[list[list[int]]]:
    made = []
    for few in (0, 1000):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "FEW", few)
            found = tally(rows, values)
            assert isinstance(found, Tally)
            made.append([part.to_list() for part in found])
    return made


@given(st.data(), st.integers(1, 4), st.booleans(), st.booleans())
def test_both_ways_count_alike(data: st.DataObject, parents: int, weighed: bool, valued: bool) -> None:
    outer = ONE if parents == 1 else Context(parents, ONE, repeated(0, parents, INDEX))
    index = sorted(data.draw(st.lists(st.integers(0, parents - 1), max_size=9)))
    size = len(index)
    some = st.lists(st.none() | st.integers(-9, 9), min_size=size, max_size=size)
    weights = data.draw(st.lists(st.integers(0, 5), min_size=size, max_size=size)) if weighed else None
    numbers = data.draw(some) if valued else None
    stored = Stored(None if weights is None else pl.Series(weights, dtype=pl.Int64))
    rows = Rows(stored, "t", "t", size, None, outer, pl.Series(index, dtype=INDEX))  # type: ignore[arg-type]
    one, other = both(rows, None if numbers is None else pl.Series(numbers, dtype=pl.Int64))
    assert one == other
    own = [[at for at, parent in enumerate(index) if parent == wanted] for wanted in range(parents)]
    times = weights or [1] * size
    assert one[2] == [sum(times[at] for at in places) for places in own]
    if numbers is not None:
        assert one[0] == [sum((numbers[at] or 0) * times[at] for at in places) for places in own]
        assert one[1] == [sum(numbers[at] is None for at in places) for places in own]
