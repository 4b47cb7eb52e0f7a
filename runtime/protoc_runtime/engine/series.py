"""What is asked of columns hundreds of times in one scoring, without a query plan where none is needed.

polars plans `gather`, `fill_null`, `repeat` and `is_not_null` of a column as a query of its own: some 30 to 70
microseconds, however short the column. These give the same columns in a tenth of that.
"""

from __future__ import annotations

from typing import Any

import polars as pl


def taken(values: pl.Series, index: pl.Series) -> pl.Series:
    """The values at these positions; null at a null."""
    return values[index]


def filled(values: pl.Series, value: Any) -> pl.Series:
    """The values, another one where they are null."""
    return values.fill_null(value) if values.null_count() else values


def repeated(value: Any, size: int, dtype: pl.DataType | type[pl.DataType]) -> pl.Series:
    """One value so many times."""
    return pl.Series([value], dtype=dtype).new_from_index(0, size) if size else pl.Series([], dtype=dtype)


def defined(values: pl.Series) -> pl.Series:
    """Where there is a value."""
    return values.is_not_null() if values.null_count() else repeated(True, len(values), pl.Boolean)
