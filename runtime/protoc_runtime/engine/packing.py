"""Several sums of whole numbers in one: each number has bits of its own in a word that is summed once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl

WORD, SHORT = 127, 63  # bits of a sum that is not negative, in Int128 and in Int64


def sums(columns: Sequence[pl.Series], terms: int, add: Callable[[pl.Series], pl.Series]) -> list[pl.Series]:
    """What `add` gives for each column, from fewer calls of it.

    `add` takes a column of Int64 or Int128 and sums `terms` values of it, with repetition, for each of its results.
    """
    made: dict[int, pl.Series] = {}
    lows = [int(column.min() or 0) for column in columns]  # type: ignore[arg-type]
    bits = [((int(column.max() or 0) - low) * terms).bit_length() for column, low in zip(columns, lows, strict=True)]  # type: ignore[arg-type]
    for word in _words(bits):
        if bits[word[0]] > SHORT:
            made[word[0]] = add(columns[word[0]])
            continue
        kind = pl.Int64() if sum(bits[at] for at in word) < SHORT else pl.Int128()
        packed, places, begin = None, [], 0
        for at in word:
            own = (columns[at] - lows[at]).cast(kind) * _one(2**begin, kind)
            packed = own if packed is None else packed + own
            places.append((at, begin))
            begin += bits[at]
        whole = add(packed)  # type: ignore[arg-type]
        for at, shift in places:
            field = whole // _one(2**shift, kind) % _one(2 ** bits[at], kind)
            made[at] = field.cast(pl.Int64) + lows[at] * terms
    return [made[at] for at in range(len(columns))]


def _one(value: int, kind: pl.DataType) -> pl.Series:
    """A number that is spread: polars takes none of Python's beyond 64 bits."""
    return pl.Series([value], dtype=kind)


def _words(bits: Sequence[int]) -> list[list[int]]:
    """Which columns share a word, in their order; one that is too long has a word of its own."""
    words: list[list[int]] = []
    free = 0
    for at, wanted in enumerate(bits):
        if not words or wanted > min(free, SHORT):
            words.append([])
            free = WORD
        words[-1].append(at)
        free = free - wanted if wanted <= SHORT else 0
    return words
