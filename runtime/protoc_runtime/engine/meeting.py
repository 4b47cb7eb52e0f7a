"""Which rows of two lists belong together: those whose keys are equal."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from protoc_runtime.engine.context import INDEX, positions
from protoc_runtime.engine.series import taken


def met(left: Mapping[str, pl.Series], right: Mapping[str, pl.Series]) -> tuple[pl.Series, pl.Series]:
    """The places on the left and on the right of each pair with equal keys, in the order of the left, then of the
    right. Both have the same keys, at least one. An undefined key equals nothing."""
    name = next(iter(left))
    if len(left) == 1 and numbered(right[name]) and left[name].dtype == INDEX:
        found = within(left[name], len(right[name]))
        if not found.null_count():
            return positions(len(found)), found
        there = found.is_not_null()
        return there.arg_true(), found.filter(there)
    one = pl.DataFrame({**left, "left": positions(len(left[name]))})
    other = pl.DataFrame({**right, "right": positions(len(right[name]))})
    both = one.join(other, on=list(left), how="inner", maintain_order="left_right")
    return both["left"], both["right"]


def numbered(keys: pl.Series) -> bool:
    """Whether each key is its own place, as in a reference to any row of a whole table: then nothing is searched."""
    return keys.dtype == INDEX and not keys.null_count() and bool((keys == positions(len(keys))).all())


def within(keys: pl.Series, size: int) -> pl.Series:
    """The keys, null where they are no place of so many."""
    largest = keys.max()
    if largest is None or int(largest) < size:  # type: ignore[arg-type]
        return keys
    kept = positions(size).extend_constant(None, 1)
    return taken(kept, keys.clip(upper_bound=size))
