"""Random numbers in bulk are those of one call at a time, and leave the generator where that would."""

from __future__ import annotations

import random
import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from protoc_runtime import engine
from protoc_runtime.engine import twister, twister_numpy

SEEDS = st.one_of(st.integers(), st.text())


@pytest.fixture(autouse=True, scope="module", params=["blocks of one piece", "blocks of pieces", "numpy"])
def way(request):
    """Short pieces: of 7 each is a block of its own, of 8 several are read together; numpy's are of 7, too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(twister, "PIECE", 8 if request.param == "blocks of pieces" else 7)
        patch.setattr(twister, "MANY", 0 if request.param == "numpy" else 1_000)
        patch.setattr(twister_numpy, "PIECE", 7)
        yield request.param


@given(SEEDS, st.integers(0, 80))
@example(0, 0)
@example("text", 14)
def test_uniform_numbers(seed: int | str, count: int) -> None:
    bulk, single = random.Random(seed), random.Random(seed)
    assert twister.uniform(bulk, count).to_list() == [single.random() for _ in range(count)]
    assert bulk.random() == single.random()


@given(SEEDS, st.integers(0, 80), st.one_of(st.integers(1, 5000), st.integers(2**31, 2**32)))
@example(1, 15, 2**32)
def test_indices(seed: int | str, count: int, limit: int) -> None:
    bulk, single = random.Random(seed), random.Random(seed)
    assert twister.below(bulk, count, limit).to_list() == [int(single.random() * limit) for _ in range(count)]
    assert bulk.random() == single.random()


@pytest.mark.parametrize("limit", [1, 2, 1025, 2000, 2**20 + 1, 2**31 + 1, 2**32])
def test_the_largest_number_stays_below_the_limit(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(twister, "MANY", 1_000)  # numpy cannot be given such a generator

    class Ones(random.Random):
        def getrandbits(self, k: int) -> int:
            return 2**k - 1

        def randbytes(self, n: int) -> bytes:
            return b"\xff" * n

    largest = (2**53 - 1) / 2**53
    assert twister.below(Ones(), 3, limit).to_list() == [int(largest * limit)] * 3 == [limit - 1] * 3


def test_pieces_of_full_length(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(twister, "PIECE", 1 << 16)
    bulk, single = random.Random(5), random.Random(5)
    count = (1 << 16) + 3
    assert twister.below(bulk, count, 2000).to_list() == [int(single.random() * 2000) for _ in range(count)]


def test_many_numbers_are_made_without_numpy_where_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(twister, "MANY", 0)
    monkeypatch.setitem(sys.modules, "protoc_runtime.engine.twister_numpy", None)
    monkeypatch.delattr(engine, "twister_numpy")
    assert twister.below(random.Random(5), 3, 9).to_list() == [
        int(one.random() * 9) for one in [random.Random(5)] for _ in range(3)
    ]
