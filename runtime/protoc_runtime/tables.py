"""Rows in columns: what the reader makes, the engine computes with, and a bundle writes out.

Physical columns by type (null is undefined everywhere):

bool
    Boolean
int
    Int64, at most 2**53 in size
number, quantity
    Int64 numerators, the value is n / 10**scales[column] in the base unit (s, B, the currency); where Int64 cannot
    hold them all, String of `num/den` (reduced) with scales[column] = -1
text, digest
    String
enum
    Enum(members)
time, date
    Datetime("us", "UTC"), Date
any
    String: `n:1/100`, `t:text`, `b:true`, `j:` and canonical JSON
set, list
    List of the item's encoding; a set is sorted and unique. Items that are numbers share the scale of the column.
row (a reference)
    UInt32, the row's index in the referenced root table
a nested list of maps
    a table of its own, named `parent.column`, with UInt32 `_parent`, Int64 `position` from 1, and its columns
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from protoc_runtime.record import record

if TYPE_CHECKING:
    import polars

    from protoc_runtime.declared import Type

EXACT_INT = 2**53
RATIONAL = -1  # the scale of a column that holds `num/den` texts

# decimal places that a unit adds in the base unit; the units with a power of two or 60 multiply by a whole number
UNIT_PLACES = {"ms": 3}
UNIT_FACTORS = {"min": 60, "h": 3600, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}


@record
class TableData:
    """One table's rows, in file order."""

    name: str
    frame: polars.DataFrame
    scales: Mapping[str, int]

    @property
    def height(self) -> int:
        """The number of rows."""
        return self.frame.height


def number(stored: int | str | None, scale: int) -> Fraction | None:
    """The exact value of a stored number."""
    if stored is None:
        return None
    return Fraction(stored) if scale == RATIONAL else Fraction(int(stored), 10**scale)


def dtype(kind: Type, *, rational: bool = False) -> polars.DataType:
    """The physical type of a column; `rational` where its numbers are `num/den` texts."""
    import polars as pl

    if kind.kind in ("set", "list") and kind.item is not None:
        return pl.List(dtype(kind.item, rational=rational))
    if kind.kind == "enum":
        return pl.Enum(list(kind.members))
    if kind.kind in ("number", "quantity"):
        return pl.String() if rational else pl.Int64()
    if kind.kind == "time":
        return pl.Datetime("us", "UTC")
    return {"bool": pl.Boolean(), "int": pl.Int64(), "date": pl.Date(), "row": pl.UInt32()}.get(kind.kind, pl.String())
