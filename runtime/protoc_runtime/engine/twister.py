"""Python's own random numbers, many at once: what a draw takes, made in pieces that stay in the processor's cache."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from io import BytesIO

import polars as pl

from protoc_runtime.engine.context import INDEX
from protoc_runtime.engine.series import repeated

PIECE = 1 << 15  # numbers that are made together


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
        pair = _column(generator.randbytes(8 * size), size)
        first = (pair & 0xFFFFFFE0).cast(pl.Float64)  # the upper 27 bits of the word that comes first
        second = (pair & (0xFFFFFFC0 << 32)).cast(pl.Float64)  # the upper 26 of the other: exact in a double
        yield first * 2.0**-32 + second * 2.0**-91


def _column(words: bytes, size: int) -> pl.Series:
    """These words of 64 bits, little-endian, as UInt64: read as a stream of Arrow, which takes the bytes as they are.
    `bin.reinterpret` takes them apart one by one."""
    before, behind = _stream(size)
    return pl.read_ipc_stream(b"".join((before, words, behind))).to_series()


@cache
def _stream(size: int) -> tuple[bytes, bytes]:
    """What stands before and behind the words of a column of this length in a stream of Arrow."""
    mark, stream = 0xFEDCBA9876543210, BytesIO()
    pl.DataFrame({"word": repeated(mark, size, pl.UInt64)}).write_ipc_stream(stream, compression="uncompressed")
    before, behind = stream.getvalue().split(mark.to_bytes(8, "little") * size)
    return before, behind
