"""Between which bounds two protocols differ: shares, counts and numbers with which one lets a rule hold, one not.

What a rule compares is noted while both verifiers compute it on the same rows: where `right_of` is compared with 80% by
one and with 70% by the other, 3 of 4 lie between.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from math import ceil, floor
from typing import Any

from protoc_runtime.record import record

Compared = dict[str, list[tuple[Any, Any]]]  # by entry of a rule what it compares with what
_MOST = 60  # rows that a share is made of at most
_PAIRS = 200  # comparisons of one entry that are looked at


@record
class Between:
    """Numbers from one bound to another; both may be the same."""

    low: Fraction
    high: Fraction

    def sizes(self, least: int) -> Iterator[tuple[int, int]]:
        """Numbers of rows, at least so many, and how many of them make a share, or a count, that is neither below nor
        above: one that has the lower bound or is above it, and one that has the upper bound or is below it."""
        for met in (lambda k, n: self.low * n <= k < self.high * n, lambda k, n: self.low * n < k <= self.high * n):
            if 0 <= self.low < self.high <= 1:
                yield from self._share(least, met)
        if 0 < self.low == self.high <= 1:
            yield from self._share(least, lambda k, n: self.low * n <= k < n)
            yield from self._share(least, lambda k, n: 0 <= k < self.low * n)
        for bound in {self.low, self.high}:
            for count in sorted({floor(bound), ceil(bound)} if 0 < bound <= _MOST else ()):
                yield max(least, count), count

    def _share(self, least: int, met: Any) -> Iterator[tuple[int, int]]:
        for size in range(max(least, 1), max(least, _MOST) + 1):
            near = floor(self.low * size), floor(self.high * size), ceil(self.low * size), ceil(self.high * size) - 1
            for part in sorted(near):
                if 0 <= part <= size and met(part, size):
                    yield size, part
                    return

    def numbers(self) -> list[Fraction]:
        """Some that lie between, or on a bound."""
        return [*dict.fromkeys((self.low, self.high, (self.low + self.high) / 2))]


def between(old: Compared, new: Compared) -> tuple[list[Between], bool]:
    """Where two rules differ, and that they do; where they compare the same, all that they compare with."""
    found: dict[Between, None] = {}
    alone: dict[Between, None] = {}
    for entry in [*old, *(name for name in new if name not in old)]:
        one, two = (dict.fromkeys(side.get(entry, ())[:_PAIRS]) for side in (old, new))
        if len(one) == len(two):
            for pairs in zip(one, two, strict=True):
                found |= dict.fromkeys(_differing(*pairs))
        alone |= dict.fromkeys(_alone([pair for pair in one if pair not in two]))
        alone |= dict.fromkeys(_alone([*two, *one]))
    return list(found or alone), bool(found)


def limits(rule: Compared) -> list[Fraction]:
    """The shares with which a rule compares what is below all or above none."""
    found = (exact(value) for pairs in rule.values() for pair in pairs[:_PAIRS] for value in pair)
    return [*dict.fromkeys(value for value in found if value is not None and 0 < value < 1)]


def _differing(one: tuple[Any, Any], two: tuple[Any, Any]) -> Iterator[Between]:
    for first, second in zip(one[::-1], two[::-1], strict=True):
        low, high = exact(first), exact(second)
        if low is not None and high is not None and low != high:
            yield Between(min(low, high), max(low, high))


def _alone(pairs: Iterable[tuple[Any, Any]]) -> Iterator[Between]:
    for pair in pairs:
        for value in map(exact, pair[::-1]):
            if value is not None:
                yield Between(value, value)


def exact(value: Any) -> Fraction | None:
    """A number that may be a bound; None of anything else, also of a quotient of counts, which rows have made."""
    return Fraction(value) if type(value) in (int, Fraction) else None


__all__ = ["Between", "Compared", "between", "exact", "limits"]
