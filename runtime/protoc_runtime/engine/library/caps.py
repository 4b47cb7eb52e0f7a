"""What one call computes at most, where its work grows with the value of a count and not with the rows."""

from __future__ import annotations

from fractions import Fraction

from protoc_runtime.catalogue import rules as kinds
from protoc_runtime.engine.exact import Exact
from protoc_runtime.engine.faults import stop

MOST_BITS = 200_000  # of the whole numbers of an exact test: one for each observation or sign
MOST_TRIALS = 1_000_000  # of an interval by Clopper and Pearson
MOST_PLACES = 400  # that `round` keeps or cuts off, as long as the longest number that is read
MOST_UNITS = 10_000_000  # of `out_of`, for one draw
NEAREST = 10**15  # a level is no nearer to 1 than the reciprocal of this: a quantile has 15 decimals


def within(function: str, found: int, most: int, what: str) -> None:
    """Stop the run (E1260) where more is asked for than is computed; `what` is counted."""
    if found > most:
        stop(kinds.TOO_MUCH, function=function, found=f"{found:,} {what}", most=f"at most {most:,}")


def level_within(function: str, level: Exact) -> None:
    """Stop the run (E1260) at a level between 0 and 1 that is so near to 1 that no quantile is computed for it."""
    if 0 < 1 - level < Fraction(1, NEAREST):
        stop(kinds.TOO_MUCH, function=function, found="a level nearer to 1", most="levels up to 1 - 10^-15")


def share_within(function: str, share: Exact) -> None:
    """Stop the run (E1260) at a share that is none."""
    if not 0 <= share <= 1:
        stop(kinds.TOO_MUCH, function=function, found="a share below 0 or above 1", most="shares of 0 to 1")
