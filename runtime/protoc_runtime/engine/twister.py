"""Python's own random numbers, many at once: what a draw takes, made in pieces that stay in the processor's cache."""

from __future__ import annotations

import random
from collections.abc import Iterator

import polars as pl

from protoc_runtime.engine.context import INDEX

PIECE = 1 << 16  # numbers that are made together


def uniform(generator: random.Random, count: int) -> pl.Series:
    """What `count` calls of `generator.random()` would give, as Float64."""
    return _whole(_pieces(generator, count), pl.Float64())


def below(generator: random.Random, count: int, limit: int) -> pl.Series:
    """`int(generator.random() * limit)`, `count` times, as row numbers; `limit` is at most 2**32."""
    factor = float(limit)
    places = ((u * factor).cast(INDEX, wrap_numerical=True) for u in _pieces(generator, count))  # all of them fit
    return _whole(places, INDEX())


def _whole(pieces: Iterator[pl.Series], kind: pl.DataType) -> pl.Series:
    return pl.concat([pl.Series(dtype=kind), *pieces])


def _pieces(generator: random.Random, count: int) -> Iterator[pl.Series]:
    """Numbers of 53 bits, from two words of 32 each."""
    for begin in range(0, count, PIECE):
        size = min(PIECE, count - begin)
        words = pl.Series([generator.randbytes(8 * size)], dtype=pl.Binary)
        pair = words.bin.reinterpret(dtype=pl.Array(pl.UInt64, size), endianness="little").reshape((size,))
        first = (pair & 0xFFFFFFE0).cast(pl.Float64)  # the upper 27 bits of the word that comes first
        second = (pair & (0xFFFFFFC0 << 32)).cast(pl.Float64)  # the upper 26 of the other: exact in a double
        yield first * 2.0**-32 + second * 2.0**-91
