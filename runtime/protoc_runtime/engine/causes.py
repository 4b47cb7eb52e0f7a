"""Which rows a quantifier rests on: kept beside its value, so that a rule that fails can name them."""

from __future__ import annotations

from typing import Literal, Protocol

import polars as pl

from protoc_runtime.engine.context import Context, positions
from protoc_runtime.record import record

MOST = 1_000  # values; quantifiers of more, as in a column of a large table, keep no cause


class Places(Protocol):
    """The row behind each place, as its number in the root."""

    data: pl.Series


class Related(Protocol):
    """Rows of a table, as far as they are named."""

    size: int
    table: str
    root: str

    @property
    def index(self) -> pl.Series | None:
        """For each row its tuple in the outer context."""

    @property
    def outer(self) -> Context:
        """The context in which the rows were opened."""

    @property
    def row(self) -> Places:
        """The rows themselves."""

    @property
    def weights(self) -> pl.Series | None:
        """How many rows each stands for; None where each stands for itself."""


@record
class Cause:
    """`all ROWS have` or `some ROWS have` (`no` is the contrary of it): the rows, the condition of each (None: that
    there is one), the value of the quantifier, and whether what is made of it is the contrary."""

    quantifier: Literal["all", "some"]
    rows: Related
    condition: pl.Series | None
    value: pl.Series
    contrary: bool = False

    def turned(self) -> Cause:
        """The same under a `not`."""
        return Cause(self.quantifier, self.rows, self.condition, self.value, not self.contrary)

    def state(self, at: int) -> bool | None:
        """What this part of a rule is for one entry: true, false, undefined."""
        value = self.value[at]
        return None if value is None else bool(value) is not self.contrary

    def deciding(self, at: int) -> pl.Series:
        """The places among the rows of those that made it so for one entry: against an `all`, for a `some`, or
        undefined where it is; none where no single row did."""
        return positions(self.rows.size).filter(self._deciding(self.value[at]) & self._own(at))

    def size(self, at: int) -> int:
        """Over how many rows the quantifier goes for one entry."""
        return int(self._own(at).sum())

    def _own(self, at: int) -> pl.Series:
        index = self.rows.index
        if self.rows.outer.size > 1 and index is not None:
            return index == at
        return pl.repeat(True, self.rows.size, dtype=pl.Boolean, eager=True)

    def _deciding(self, value: bool | None) -> pl.Series:
        if value is (self.quantifier == "all") or self.condition is None:
            each = self.condition is None and value is True
            return pl.repeat(each, self.rows.size, dtype=pl.Boolean, eager=True)
        if value is None:
            return self.condition.is_null()
        return (self.condition == (self.quantifier == "some")).fill_null(False)
