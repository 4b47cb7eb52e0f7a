"""Python's own random numbers, many at once: what a draw takes, made in pieces that stay in the processor's cache.

Python makes the words of one generator one after the other, and that is most of the work. What is done to them then is
done by polars beside that: each block of pieces in a thread of its own, which polars lets go meanwhile. Where numpy is
installed, it makes the same numbers in a fifth of the time; many numbers are worth its import.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from io import BytesIO
from types import ModuleType

import polars as pl

from protoc_runtime.engine.context import INDEX
from protoc_runtime.engine.series import repeated

PIECE = 1 << 15  # numbers that are made together: a column of a block
WIDE = 4  # columns of a block, each a whole number of Arrow's 64 bytes, so that none is filled up
THREADS = 4
MANY = 1_000_000  # numbers that numpy, imported for them, makes sooner


def uniform(generator: random.Random, count: int) -> pl.Series:
    """What `count` calls of `generator.random()` would give, as Float64."""
    numpy = _numpy(count)
    if numpy is not None:
        return pl.Series(numpy.numbers(generator, count, 1, float))
    return _whole(generator, count, _numbers(1), pl.Float64())


def below(generator: random.Random, count: int, limit: int) -> pl.Series:
    """`int(generator.random() * limit)`, `count` times, as row numbers; `limit` is at most 2**32."""
    numpy = _numpy(count)
    if numpy is not None:
        return pl.Series(numpy.numbers(generator, count, limit, "uint32"), dtype=INDEX)
    return _whole(generator, count, _numbers(limit).cast(INDEX, wrap_numerical=True), INDEX())  # all of them fit


def _numpy(count: int) -> ModuleType | None:
    """The module that asks numpy, if there are many numbers and numpy is installed."""
    if count < MANY:
        return None
    try:
        from protoc_runtime.engine import twister_numpy
    except ImportError:
        return None
    return twister_numpy


def _numbers(factor: int) -> pl.Expr:
    """`random() * factor` of the words in each column: a number has 53 bits, from two words of 32 each.

    That product is rounded once: powers of two are put together with the factor, which changes no digit.
    """
    first = (pl.all() & 0xFFFFFFE0).cast(pl.Float64)  # the upper 27 bits of the word that comes first
    second = (pl.all() & (0xFFFFFFC0 << 32)).cast(pl.Float64)  # the upper 26 of the other: exact in a double
    return (first * 2.0**59 + second) * (factor * 2.0**-91)


def _whole(generator: random.Random, count: int, made: pl.Expr, kind: pl.DataType) -> pl.Series:
    with ThreadPoolExecutor(THREADS) as threads:
        each = threads.map if count > PIECE else map  # what is short is made sooner than a thread is begun
        blocks = each(partial(_block, made), _words(generator, count))
        return pl.concat([pl.Series(dtype=kind), *(column for block in blocks for column in block)])


def _words(generator: random.Random, count: int) -> Iterator[list[bytes]]:
    """The words of all numbers, 8 bytes each: by block, by piece."""
    while count:
        size = PIECE if count >= PIECE else count
        width = min(WIDE, count // size) if size % 8 == 0 else 1
        yield [generator.randbytes(8 * size) for _ in range(width)]
        count -= width * size


def _block(made: pl.Expr, words: list[bytes]) -> list[pl.Series]:
    """What is made of the words of one block, read as a stream of Arrow, which takes the bytes as they are.
    `bin.reinterpret` takes them apart one by one."""
    before, behind = _stream(len(words), len(words[0]) // 8)
    return pl.read_ipc_stream(b"".join((before, *words, behind))).select(made).get_columns()


@cache
def _stream(width: int, size: int) -> tuple[bytes, bytes]:
    """What stands before and behind the words of so many columns of this length in a stream of Arrow."""
    mark, stream = 0xFEDCBA9876543210, BytesIO()
    column = repeated(mark, size, pl.UInt64)
    frame = pl.DataFrame({f"words {at}": column for at in range(width)})
    frame.write_ipc_stream(stream, compression="uncompressed")
    before, behind = stream.getvalue().split(mark.to_bytes(8, "little") * size * width)
    return before, behind
